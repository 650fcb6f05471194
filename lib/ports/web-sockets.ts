import type { Failure, Result } from "../core/result.ts";

/** A message of a WebSocket. */
export type SocketMessage = string | Uint8Array<ArrayBuffer>;

/** How a connection ended: a close code (RFC 6455 §7.4.1); 1006 where it broke off. */
export interface SocketEnd {
  /** The close code. */
  readonly code: number;
  /** Its sentence; often empty. */
  readonly reason: string;
}

/** Bounds that one end of a connection sets for the other (DEV-48). */
export interface SocketBounds {
  /**
   * Bytes of the largest message that is taken: a larger one ends the connection with 1009. Four times
   * as much may wait to be read here, or the connection ends with 1008; or to be taken there, or it
   * breaks off.
   */
  readonly maxMessageBytes: number;
  /** A peer that answers no ping for so long is gone, in milliseconds; at least 1,000. */
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
   * Ends it: in order, and after 5 seconds whatever the other end does.
   *
   * @param code 1000, 1008, 1009, 1011, or 3000 to 4999; 1000 when absent.
   */
  close(code?: number, reason?: string): void;
  /** Ends it at once, whatever the other end does, and keeps nothing of what has come. */
  drop(): void;
}

/** A connection that a request is answered by. */
export interface Upgrade {
  /** Response that the handler has to return. With any other response there is no connection. */
  readonly response: Response;
  /** The connection, once the answer has gone out; `null` where it came to none. */
  readonly socket: Promise<MessageSocket | null>;
}

/** Why there is no connection. */
export type ConnectFailureCode = "refused" | "unreachable" | "cancelled";

/** How to connect. */
export interface ConnectOptions extends SocketBounds {
  /** Ends the attempt, and the connection. */
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
   * @returns `refused` where a server answers otherwise, with its status; `unreachable`; `cancelled`.
   */
  connect(
    url: string,
    options: ConnectOptions,
  ): Promise<Result<MessageSocket, Failure<ConnectFailureCode>>>;
}
