/**
 * The reference device: the boot watchdog as a pure function, and staging over real files.
 *
 * @module
 */
export {
  activate,
  boot,
  type BootDecision,
  type BootFacts,
  type BootTarget,
  confirm,
  type ConfirmFacts,
  mayStage,
  newBinary,
  parseBootState,
  retrial,
  type RetrialFacts,
  revert,
  type RevertOptions,
} from "./boot.ts";
export { checkRequest, type RequestOperation } from "./check-request.ts";
export type { DeviceOptions } from "./context.ts";
export type { ProcessOptions } from "./processes.ts";
export { createDevice, type Device } from "./device.ts";
export type { LaunchRequest, LaunchResult } from "./launch.ts";
export {
  checkWanted,
  checkWantedSequence,
  readTrusted,
  type TrustedReleases,
  type Untrusted,
  type Wanted,
} from "./trusted.ts";
export { type BundleFile, bundleFiles } from "./bundle-zip.ts";
// Types of other areas that these mention.
export type { ArchiveEntry, ArchiveSource, EntryKind, ForwardEntry } from "../archive/mod.ts";
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
  WriteOptions,
} from "../ports/files.ts";
export type { Hashing, Sha1 } from "../ports/hashing.ts";
export type { Host, Platform } from "../ports/host.ts";
export type { IsAlive } from "../ports/processes.ts";
