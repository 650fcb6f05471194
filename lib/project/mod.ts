/**
 * A project on disk.
 *
 * @module
 */
export {
  type Command,
  CONFIG_FILE,
  type ConfigFailure,
  MAX_CONFIG_BYTES,
  type NativeBuild,
  parseProjectConfig,
  type ProjectConfig,
  type WebBuild,
} from "./config.ts";
export {
  type OpenProject,
  openProject,
  type OpenProjectOptions,
  readProjectConfig,
} from "./open.ts";
export type { OtaConfig, OtaConnection } from "./ota-config.ts";
