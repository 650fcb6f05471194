/**
 * Bytes per piece for the platform's inflater: Deno's inflates a complete piece, to as much as
 * 1,032 times its size, before it can be stopped.
 */
const PIECE_BYTES = 4 * 1024;

/**
 * Reader of a zlib stream (RFC 1950) that is stored in parts of any size: each read returns the
 * requested number of bytes. Memory holds only those and one piece.
 */
export class Inflated {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #piece: Uint8Array = new Uint8Array();

  /**
   * @param turn Called before each piece: gives the event loop a turn, since a long stream may
   * contain no output.
   */
  constructor(packed: readonly Uint8Array<ArrayBuffer>[], turn: () => Promise<void>) {
    const pieces = piecesOf(packed);
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        await turn();
        const { done, value } = pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
    }, { highWaterMark: 0 });
    this.#reader = stream.pipeThrough(new DecompressionStream("deflate")).getReader();
  }

  /**
   * Fills `into`. @returns Whether the stream had that many bytes: false if it is damaged or ends
   * before.
   */
  async read(into: Uint8Array): Promise<boolean> {
    for (let at = 0; at < into.length;) {
      if (this.#piece.length === 0 && await this.#next() !== "more") return false;
      const part = this.#piece.subarray(0, into.length - at);
      into.set(part, at);
      at += part.length;
      this.#piece = this.#piece.subarray(part.length);
    }
    return true;
  }

  /** Whether all of it was read, undamaged; some platforms do not see that one is cut short. */
  async isAtEnd(): Promise<boolean> {
    return this.#piece.length === 0 && await this.#next() === "end";
  }

  /** Cancels the rest. */
  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => undefined); // damaged input has ended it already
  }

  async #next(): Promise<"more" | "end" | "damaged"> {
    try {
      do {
        const { done, value } = await this.#reader.read();
        if (done) return "end";
        this.#piece = value;
      } while (this.#piece.length === 0);
      return "more";
    } catch {
      return "damaged"; // the stream's only failure
    }
  }
}

function* piecesOf(
  packed: readonly Uint8Array<ArrayBuffer>[],
): Generator<Uint8Array<ArrayBuffer>, void> {
  for (const part of packed) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      yield part.subarray(at, at + PIECE_BYTES);
    }
  }
}
