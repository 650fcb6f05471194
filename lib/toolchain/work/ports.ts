import type { Clock } from "../../ports/clock.ts";
import type { Fetch } from "../../ports/fetch.ts";
import type { Files, SyncStat } from "../../ports/files.ts";
import type { Hashing } from "../../ports/hashing.ts";
import type { Host } from "../../ports/host.ts";
import type { IsAlive, Processes } from "../../ports/processes.ts";
import type { Pins } from "../tools/tools.ts";

export type { Platform } from "../../ports/host.ts";

/** Dependencies of the toolchain. */
export interface ToolchainDeps {
  /** The file system. */
  readonly files: Files;
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
  /** Recognises a dead lock owner immediately; if it cannot, missing heartbeats do. */
  readonly isAlive: IsAlive;
  /**
   * The folder of the project that is open, absolute: nothing of it is run by looking for tools, even
   * where PATH leads into it.
   */
  readonly project?: string;
  /** Pins of what the editor provides; its own table if absent. */
  readonly pins?: Pins;
}
