import type { MessageSocket, SocketEnd, SocketMessage } from "../../lib/ports/web-sockets.ts";

/** How long the peer may take to answer a close, in milliseconds. */
export const CLOSE_MS = 5_000;

/** The size of the queue, in messages of the largest size. */
const MESSAGES_WAITING = 4;

/** Bytes that may wait in one direction. */
export function mostWaiting(maxMessageBytes: number): number {
  return MESSAGES_WAITING * maxMessageBytes;
}

/** Bytes of a reason that a standard `close()` accepts. */
const MAX_REASON_BYTES = 123;

/** A reason that fits into a close frame. */
export function closeReason(reason: string): string {
  const bytes = new TextEncoder().encode(reason);
  if (bytes.length <= MAX_REASON_BYTES) return reason;
  return new TextDecoder().decode(bytes.subarray(0, MAX_REASON_BYTES), { stream: true });
}

/** Messages of a WebSocket that have arrived and are not yet read. */
export class SocketInbox implements Pick<MessageSocket, "receive" | "ended"> {
  readonly ended: Promise<SocketEnd>;
  readonly #most: number;
  #end: (end: SocketEnd) => void = () => {};
  #waiting: SocketMessage[] = [];
  #bytes = 0;
  #hasEnded = false;
  #reader: ((message: SocketMessage | null) => void) | null = null;

  constructor(maxMessageBytes: number) {
    this.#most = mostWaiting(maxMessageBytes);
    this.ended = new Promise((resolve) => this.#end = resolve);
  }

  /** @returns Whether the message fits. */
  push(message: SocketMessage): boolean {
    if (this.#reader !== null) {
      this.#reader(message);
      this.#reader = null;
      return true;
    }
    this.#waiting.push(message);
    this.#bytes += message.length + 1; // an empty one takes room, too
    return this.#bytes <= this.#most;
  }

  /** Ends the inbox; earlier messages can still be read. */
  finish(end: SocketEnd): void {
    this.#hasEnded = true;
    this.#end(end);
    this.#reader?.(null);
    this.#reader = null;
  }

  receive(): Promise<SocketMessage | null> {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      this.#bytes -= next.length + 1;
      return Promise.resolve(next);
    }
    if (this.#hasEnded) return Promise.resolve(null);
    return new Promise((resolve) => this.#reader = resolve);
  }
}
