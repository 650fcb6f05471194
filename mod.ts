/**
 * Slipway takes a game from its editor to the player's phone: tools for agents, the toolchain of a
 * mobile build, and signed over-the-air updates. Everything here is web-standard; what a runtime
 * supplies comes from `./node` or `./deno`, and what runs inside the app from `./ota-client`.
 *
 * @module
 */
export {
  type EditorServiceOptions,
  openService,
  type ProjectServiceOptions,
  type Service,
  type ServiceOptions,
  type ServiceSettings,
} from "./lib/service/mod.ts";
export * from "./lib/http/mod.ts";
export * from "./lib/agent/mod.ts";
export * from "./lib/project/mod.ts";
export * from "./lib/editor/mod.ts";
export * from "./lib/toolchain/mod.ts";
export * from "./lib/ota-publish/mod.ts";
export {
  createDevice,
  type Device,
  type DeviceOptions,
  type LaunchResult,
} from "./lib/ota-device/mod.ts";
export type { BootTarget } from "./lib/ota-device/mod.ts";
export * from "./lib/ota-format/mod.ts";
export {
  type JobContext,
  type JobEvent,
  Jobs,
  type JobSnapshot,
  type JobsOptions,
  type JobWork,
} from "./lib/core/jobs.ts";
export type { Work } from "./lib/core/cooperative.ts";
export type { JsonObject, JsonValue } from "./lib/core/json.ts";
export type { Problem, ProblemStatus } from "./lib/core/problem.ts";
export type { Err, Failure, Ok, Result } from "./lib/core/result.ts";
export type { Sequenced } from "./lib/core/ring.ts";
export type { Sha256 } from "./lib/core/sha256.ts";
export type { Clock } from "./lib/ports/clock.ts";
export type { Fetch } from "./lib/ports/fetch.ts";
export type * from "./lib/ports/files.ts";
export type { Hashing, Sha1 } from "./lib/ports/hashing.ts";
export type { Host } from "./lib/ports/host.ts";
export type * from "./lib/ports/peer.ts";
export type * from "./lib/ports/processes.ts";
export type { Peer, PeerUser } from "./lib/ports/peer.ts";
export type { Runtime } from "./lib/ports/runtime.ts";
