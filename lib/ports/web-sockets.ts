import type { Failure, Result } from "../core/result.ts";

/** A message of a WebSocket. */
export type SocketMessage = string | Uint8Array<ArrayBuffer>;

/** The end of a connection: a close code (RFC 6455 §7.4.1); 1006 for an interrupted one. */
export interface SocketEnd {
  /** The close code. */
  readonly code: number;
  /** Its sentence; often empty. */
  readonly reason: string;
}

/** Bounds that one end of a connection sets for the other (DEV-48). */
export interface SocketBounds {
  /**
   * Bytes of the largest accepted message: a larger one ends the connection with 1009. At most four
   * times as much may wait to be read here, or the connection ends with 1008; or to be accepted by
   * the peer, or it is dropped.
   */
  readonly maxMessageBytes: number;
  /** Milliseconds without an answer to a ping after which a peer counts as gone; at least 1,000. */
  readonly idleMs: number;
}

/** A WebSocket (RFC 6455) as messages. Never throws. */
export interface MessageSocket {
  /** Sends a message, in order; one to a connection that has ended is dropped. */
  send(message: SocketMessage): void;
  /** The next message; `null` when the connection has ended. One reader at a time. */
  receive(): Promise<SocketMessage | null>;
  /** Resolves once the connection has ended. */
  readonly ended: Promise<SocketEnd>;
  /**
   * Closes the connection: in order, and after 5 seconds in any case.
   *
   * @param code 1000, 1008, 1009, 1011, or 3000 to 4999; default 1000.
   */
  close(code?: number, reason?: string): void;
  /** Ends the connection immediately, and discards unread messages. */
  drop(): void;
}

/** A connection that a request is answered by. */
export interface Upgrade {
  /** Response that the handler has to return. With any other response there is no connection. */
  readonly response: Response;
  /** The connection, once the answer has been sent; `null` if it failed. */
  readonly socket: Promise<MessageSocket | null>;
}

/** Why there is no connection. */
export type ConnectFailureCode = "refused" | "unreachable" | "cancelled";

/** Options of a connection. */
export interface ConnectOptions extends SocketBounds {
  /** Cancels the attempt, and ends the connection. */
  readonly signal?: AbortSignal | undefined;
  /** The longest that the attempt takes, in milliseconds; 10,000 when absent. */
  readonly timeoutMs?: number;
}

/** WebSockets, as a client. */
export interface WebSockets {
  /**
   * Connects, never through a proxy.
   *
   * @param url `ws:` or `wss:`.
   * @returns `refused` for another answer of the server, with its status; `unreachable`;
   * `cancelled`.
   */
  connect(
    url: string,
    options: ConnectOptions,
  ): Promise<Result<MessageSocket, Failure<ConnectFailureCode>>>;
}
