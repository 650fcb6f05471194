import type { SocketBounds, Upgrade } from "./web-sockets.ts";

/**
 * Whose program is at the other end of a connection: of the `same` user as this process (or the
 * system's administrator, who may do everything anyway), of `another` user of this machine, or
 * `unknown` where the system does not tell.
 */
export type PeerUser = "same" | "another" | "unknown";

/** The other end of a connection that a request came over. */
export interface Peer {
  /** The address that it calls from, as the system spells it; absent where the server does not tell. */
  readonly address?: string | undefined;
  /** Asks the system, once a connection where the runtime tells connections apart. Never rejects. */
  user(): Promise<PeerUser>;
  /** Answers the request by a WebSocket; absent where it asks for none. Called once at most. */
  readonly upgrade?: (bounds: SocketBounds) => Upgrade;
}
