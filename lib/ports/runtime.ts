import type { Clock } from "./clock.ts";
import type { Deflating } from "./deflate.ts";
import type { Fetch } from "./fetch.ts";
import type { Files, SyncStat } from "./files.ts";
import type { GameRuntime } from "./game-runtime.ts";
import type { Hashing } from "./hashing.ts";
import type { Host } from "./host.ts";
import type { Listen } from "./listen.ts";
import type { IsAlive, Processes } from "./processes.ts";
import type { WebSockets } from "./web-sockets.ts";

/** Everything that an adapter supplies. Each function takes only the parts that it uses. */
export interface Runtime {
  /** The file system. */
  readonly files: Files;
  /** Programs. */
  readonly processes: Processes;
  /** Time. */
  readonly clock: Clock;
  /** Native hashing. */
  readonly hashing: Hashing;
  /** Native deflating. */
  readonly deflating: Deflating;
  /** The machine and the user. */
  readonly host: Host;
  /** Looks programs up on PATH. */
  readonly syncStat: SyncStat;
  /** Recognises the dead owner of a lock. */
  readonly isAlive: IsAlive;
  /** The network. */
  readonly fetch: Fetch;
  /** Connections that last. */
  readonly webSockets: WebSockets;
  /** Serves HTTP; absent if the runtime cannot listen. */
  readonly listen?: Listen | undefined;
  /** Runtime that built games contain; absent if the package has none. */
  readonly gameRuntime?: GameRuntime | undefined;
}
