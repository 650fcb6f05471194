/**
 * A service composed of its parts: the embedded editor or one's own, the toolchain, a project, jobs.
 *
 * @module
 */
export { createAgentToolchain } from "./agent-toolchain.ts";
export {
  type EditorServiceOptions,
  openService,
  type ProjectServiceOptions,
  type Service,
  type ServiceOptions,
  type ServiceSettings,
} from "./open-service.ts";
export { openToolchain } from "./open-toolchain.ts";
