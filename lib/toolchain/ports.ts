import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import type { Processes } from "../ports/processes.ts";

/** What is at a path, links followed. */
export interface SyncFacts {
  /** `missing` also stands for what cannot be looked at, or is no file and no directory. */
  readonly kind: "file" | "directory" | "missing";
  /** Whether this user may execute it; on Windows true for every file. */
  readonly executable: boolean;
  /** Bytes; 0 for what is not a file. */
  readonly size: number;
}

/** Looks at a path at once, for `whichSync` (spec §4.4). Never throws. */
export type SyncStat = (path: string) => SyncFacts;

/** The part of the file system that the toolchain uses. */
export type ToolchainFiles = Pick<
  Files,
  "stat" | "realPath" | "list" | "read" | "writeAtomic" | "makeDirectory" | "rename"
>;

/** What the toolchain is built from. */
export interface ToolchainDeps {
  /** The file system. */
  readonly files: ToolchainFiles;
  /** Runs the probes. */
  readonly processes: Processes;
  /** The machine and its environment. */
  readonly host: Host;
  /** Ages what is remembered. */
  readonly clock: Clock;
  /** Looks programs up on PATH. */
  readonly syncStat: SyncStat;
}

/** The platforms that a {@linkcode Host} can be. */
export type Platform = Host["platform"];
