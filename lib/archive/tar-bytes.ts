import { concatBytes } from "../core/bytes.ts";

/** The bytes of a tar in order, from chunks of any size, each requested when it is needed. */
export class TarBytes {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks;
  }

  /** Returns exactly `length` bytes, a number that the caller bounds; `null` if fewer are left. */
  async take(length: number): Promise<Uint8Array | null> {
    const parts: Uint8Array[] = [];
    for (let left = length; left > 0;) {
      const part = await this.some(left);
      if (part === null) return null;
      if (part.length === length) return part;
      parts.push(part);
      left -= part.length;
    }
    return concatBytes(parts);
  }

  /** Returns the available bytes, at most `length`; `null` at the end. Copies nothing. */
  async some(length: number): Promise<Uint8Array | null> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return null;
      this.#rest = value;
    }
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }
}
