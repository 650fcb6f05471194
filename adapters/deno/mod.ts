/**
 * Slipway on Deno: the file system, processes, the clock, HTTP.
 *
 * @module
 */
import type {
  DescribeOptions,
  InstalledTool,
  InstallFailure,
  InstallOptions,
  LookOptions,
  ToolchainStatus,
  ToolId,
} from "../../lib/toolchain/mod.ts";
import type { Result } from "../../lib/core/result.ts";
import { createRuntime } from "./runtime.ts";
import { machineToolchain } from "../node/toolchain.ts";

export { createRuntime };
export { createClock } from "../node/clock.ts";
export { createDeflating } from "./deflating.ts";
export { createFetch, type FetchOptions } from "./fetch.ts";
export { createFiles } from "../node/files.ts";
export { createHashing } from "../node/hashing.ts";
export { createHost, type HostFacts } from "../node/host.ts";
export { createProcesses } from "../node/processes.ts";
export {
  type Handler,
  serve,
  type ServeFailureCode,
  type ServeOptions,
  type Server,
} from "./serve.ts";
export { createIsAlive } from "../node/is-alive.ts";
export { createSyncStat } from "../node/sync-stat.ts";
export { createWebSockets } from "../node/web-sockets.ts";
export type { Clock } from "../../lib/ports/clock.ts";
export type { DeflateFraming, DeflateStream, Deflating } from "../../lib/ports/deflate.ts";
export type { Fetch } from "../../lib/ports/fetch.ts";
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
} from "../../lib/ports/files.ts";
export type { Hashing, Sha1 } from "../../lib/ports/hashing.ts";
export type { Sha256 } from "../../lib/core/sha256.ts";
export { FetchError, type FetchRoute } from "../../lib/core/fetch-error.ts";
export type { Environment } from "../../lib/core/proxy.ts";
export type { Host } from "../../lib/ports/host.ts";
export type {
  IsAlive,
  Processes,
  RunOutput,
  RunRequest,
  RunResult,
} from "../../lib/ports/processes.ts";
export type { Peer, PeerUser } from "../../lib/ports/peer.ts";
export type { Answering, Listen, Listening } from "../../lib/ports/listen.ts";
export type { GameRuntime } from "../../lib/ports/game-runtime.ts";
export type {
  ConnectFailureCode,
  ConnectOptions,
  MessageSocket,
  SocketBounds,
  SocketEnd,
  SocketMessage,
  Upgrade,
  WebSockets,
} from "../../lib/ports/web-sockets.ts";
export type { Runtime } from "../../lib/ports/runtime.ts";
export type { Err, Failure, Ok, Result } from "../../lib/core/result.ts";

/**
 * Probes every tool of this machine and user again, and reports what each build misses: `status()`
 * of `createToolchain`, which has the other operations, too.
 */
export async function toolchainStatus(
  options?: LookOptions & DescribeOptions,
): Promise<ToolchainStatus> {
  return await (await machineToolchain(createRuntime)).toolchainStatus(options);
}

/**
 * Installs a tool for this user, and accepts its licences: `install()` of `createToolchain`.
 *
 * @param options `toolchainDir`: the absolute target folder; this user's when absent. `onLog`:
 * called with each line.
 */
export async function install(
  id: ToolId,
  options?: InstallOptions,
): Promise<Result<InstalledTool, InstallFailure>> {
  return await (await machineToolchain(createRuntime)).install(id, options);
}
