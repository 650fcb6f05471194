/** The tools and the targets by their names, for who asks for them without finding any. */
export { isToolId, TOOL_IDS } from "./ids.ts";
export { BUILD_TARGETS, isBuildTarget, PHONE_TARGETS } from "./types.ts";
