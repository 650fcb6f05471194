/** A project's settings, for who needs nothing else of it. */
export { readProjectConfig } from "./read-config.ts";
export { readOta } from "./ota-config.ts";
