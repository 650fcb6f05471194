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
// Types of other areas that these mention.
export type { JobEvent } from "../core/job-log.ts";
export {
  type JobAuthor,
  type JobContext,
  type JobOverview,
  type JobProgress,
  Jobs,
  type JobSnapshot,
  type JobsOptions,
  type JobStart,
  type JobWork,
} from "../core/jobs.ts";
export type { JsonObject, JsonValue } from "../core/json.ts";
export type { Problem, ProblemStatus } from "../core/problem.ts";
export type { Err, Ok, Result } from "../core/result.ts";
export type { Sequenced } from "../core/ring.ts";
export type { Sha256 } from "../core/sha256.ts";
export type { Clock } from "../ports/clock.ts";
export type { Fetch } from "../ports/fetch.ts";
export type {
  DirectoryEntry,
  FileBody,
  FileKind,
  Files,
  FileStat,
  Links,
  SyncFacts,
  SyncStat,
  WriteOptions,
} from "../ports/files.ts";
export type { DeflateFraming, DeflateStream, Deflating } from "../ports/deflate.ts";
export type { Hashing, Sha1 } from "../ports/hashing.ts";
export type { Host, Platform } from "../ports/host.ts";
export type { IsAlive, Processes, RunOutput, RunRequest, RunResult } from "../ports/processes.ts";
export type { GameRuntime } from "../ports/game-runtime.ts";
export type { Runtime } from "../ports/runtime.ts";
