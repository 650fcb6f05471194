import type { SocketBounds, Upgrade } from "./web-sockets.ts";

/**
 * The user of the program at the other end of a connection: the `same` user as this process (or the
 * system's administrator, who may do everything anyway), `another` user of this machine, or
 * `unknown` if the system does not tell.
 */
export type PeerUser = "same" | "another" | "unknown";

/** The other end of a request's connection. */
export interface Peer {
  /** Its address in the system's spelling; absent if the server does not report it. */
  readonly address?: string | undefined;
  /**
   * Asks the system; once per connection if the runtime distinguishes connections. Never rejects.
   */
  user(): Promise<PeerUser>;
  /**
   * Answers the request with a WebSocket; absent if it does not ask for one. Called once at most.
   */
  readonly upgrade?: (bounds: SocketBounds) => Upgrade;
}
