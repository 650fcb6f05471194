import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";

/** Bytes per read. */
const READ_BYTES = 16 * 1024;
/** Time for the last write when the connection is ended, in milliseconds. */
const LAST_MS = 100;

/**
 * A connection of Deno as the stream that `node:http` and `ws` take: `node:net` of Deno 2.9 accepts
 * no connections any more once a process has run out of descriptors (decision 130).
 */
export class ConnectionStream extends Duplex {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localAddress: string;
  readonly localPort: number;
  readonly #connection: Deno.TcpConn;
  readonly #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(READ_BYTES);
  #idle: ReturnType<typeof setTimeout> | undefined;
  #idleMs = 0;
  #sending: Promise<void> | null = null;

  constructor(connection: Deno.TcpConn) {
    super();
    this.#connection = connection;
    const { remoteAddr, localAddr } = connection;
    [this.remoteAddress, this.remotePort] = [remoteAddr.hostname, remoteAddr.port];
    [this.localAddress, this.localPort] = [localAddr.hostname, localAddr.port];
    try {
      connection.setNoDelay(true);
    } catch {
      // macOS fails in this way if the peer has reset the connection: the next read reports it.
    }
  }

  /** Emits `timeout` after this long without traffic; 0 switches it off. */
  setTimeout(ms: number): this {
    this.#idleMs = ms;
    this.#active();
    return this;
  }

  /** Ends the connection once all written bytes have been sent. */
  destroySoon(): void {
    this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  override _read(): void {
    this.#connection.read(this.#buffer).then((length) => {
      this.#active();
      if (!this.destroyed) this.push(length === null ? null : this.#buffer.slice(0, length));
    }, (thrown: unknown) => this.#fail(thrown));
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#send(chunk).then(() => done(), done);
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer }[],
    done: (error?: Error) => void,
  ): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done);
  }

  override _final(done: (error?: Error) => void): void {
    this.#connection.closeWrite().then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#idle);
    // Deno starts a write in a later turn, whereas Node has finished it: closing now would discard
    // it.
    this.#written(LAST_MS).then(() => {
      try {
        this.#connection.close();
      } catch {
        // The connection has ended in the meantime.
      }
      done(error);
    });
  }

  /** Waits for the running write, at most this long. */
  #written(ms: number): Promise<void> {
    const sending = this.#sending;
    if (sending === null) return Promise.resolve();
    return new Promise((resolve) => {
      const late = setTimeout(resolve, ms);
      const settled = () => {
        clearTimeout(late);
        resolve();
      };
      sending.then(settled, settled);
    });
  }

  async #send(bytes: Uint8Array): Promise<void> {
    this.#sending = this.#sendAll(bytes);
    await this.#sending;
    this.#sending = null;
    this.#active();
  }

  async #sendAll(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
  }

  #fail(thrown: unknown): void {
    if (!this.destroyed) this.destroy(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }

  #active(): void {
    clearTimeout(this.#idle);
    if (this.#idleMs === 0 || this.destroyed) return;
    this.#idle = setTimeout(() => this.emit("timeout"), this.#idleMs);
  }
}
