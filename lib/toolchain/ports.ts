import type { Clock } from "../ports/clock.ts";
import type { Fetch } from "../ports/fetch.ts";
import type { Files } from "../ports/files.ts";
import type { Hashing } from "../ports/hashing.ts";
import type { Host } from "../ports/host.ts";
import type { Processes } from "../ports/processes.ts";
import type { Pins } from "./pins.ts";

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

/** Whether a process of this machine still runs. Never throws; `true` where it cannot be told. */
export type IsAlive = (pid: number) => boolean;

/** The file system of the toolchain. */
export type ToolchainFiles = Files;

/** What the toolchain is built from. */
export interface ToolchainDeps {
  /** The file system. */
  readonly files: ToolchainFiles;
  /** Runs the probes and installers. */
  readonly processes: Processes;
  /** The machine and its environment. */
  readonly host: Host;
  /** Ages what is remembered. */
  readonly clock: Clock;
  /** Looks programs up on PATH. */
  readonly syncStat: SyncStat;
  /** Downloads. */
  readonly fetch: Fetch;
  /** Checks what was downloaded. */
  readonly hashing: Hashing;
  /** Tells a dead owner of a lock at once; without it only its silence does. */
  readonly isAlive?: IsAlive;
  /**
   * The folder of the project that is open, absolute: nothing of it is run by looking for tools, even
   * where PATH leads into it.
   */
  readonly project?: string;
  /** What the editor provides; its own table when absent. */
  readonly pins?: Pins;
  /** Called before each step of an installation: tests stop a process there. */
  readonly onPhase?: (phase: string) => void | Promise<void>;
}

/** The platforms that a {@linkcode Host} can be. */
export type Platform = Host["platform"];
