/** Reads a project's settings, for callers that need nothing else. */
export { readProjectConfig } from "./read-config.ts";
export { readOta } from "./ota-config.ts";
