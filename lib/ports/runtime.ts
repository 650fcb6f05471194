import type { Clock } from "./clock.ts";
import type { Fetch } from "./fetch.ts";
import type { Files } from "./files.ts";
import type { Hashing } from "./hashing.ts";
import type { Host } from "./host.ts";
import type { Processes } from "./processes.ts";

/** Everything that an adapter supplies. Each function asks only for the parts that it uses. */
export interface Runtime {
  /** The file system. */
  readonly files: Files;
  /** Programs. */
  readonly processes: Processes;
  /** Time. */
  readonly clock: Clock;
  /** Native hashing. */
  readonly hashing: Hashing;
  /** The machine and the user. */
  readonly host: Host;
  /** The network. */
  readonly fetch: Fetch;
}
