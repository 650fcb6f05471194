/**
 * Slipway on Node: the file system, processes, the clock, HTTP.
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
// First: if a bundler included this file, this import fails with our explanation before `ws` fails
// with its own.
import { createRuntime } from "./runtime.ts";
import { machineToolchain } from "./toolchain.ts";

export { createRuntime };
export { createClock } from "./clock.ts";
export { createDeflating } from "./deflating.ts";
export { createFetch, type FetchOptions } from "./fetch.ts";
export { createFiles } from "./files.ts";
export { createHashing } from "./hashing.ts";
export { createHost, type HostFacts } from "./host.ts";
export { createProcesses } from "./processes.ts";
export {
  type Handler,
  serve,
  type ServeFailureCode,
  type ServeOptions,
  type Server,
} from "./serve.ts";
export { createIsAlive } from "./is-alive.ts";
export { createSyncStat } from "./sync-stat.ts";
export { createWebSockets } from "./web-sockets.ts";
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
 * Every tool of this machine and user, probed again, and what each build lacks: `status()` of
 * `createToolchain`, which has the other operations, too.
 *
 * @example A tool that is there in the end, or why not.
 * ```ts
 * import { install, toolchainStatus } from "slipway/node"; // or "slipway/deno"
 * import type { ToolId } from "slipway/toolchain";
 *
 * export async function provide(id: ToolId, toolchainDir: string): Promise<string> {
 *   const { tools } = await toolchainStatus();
 *   if (tools.some((tool) => tool.id === id && tool.present)) return `${id} is there`;
 *   const installed = await install(id, { toolchainDir, onLog: console.log });
 *   return installed.ok ? `${id} is installed` : installed.error.message;
 * }
 * ```
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
