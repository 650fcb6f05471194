/** A project's settings, for who needs nothing else of it. */
export { CONFIG_FILE } from "./config.ts";
export { readProjectConfig } from "./read-config.ts";
export { readOta } from "./ota-config.ts";
