/** The tools and the targets by their names, for callers that need no detection. */
export { isToolId, TOOL_IDS } from "./ids.ts";
export { BUILD_TARGETS, isBuildTarget, PHONE_TARGETS } from "./types.ts";
