import { concatBytes } from "../core/bytes.ts";

/** The bytes of a tar, in their order. */
export interface TarBytes {
  /** Exactly `length` bytes, of which the caller bounds the number; `null` when fewer are left. */
  take(length: number): Promise<Uint8Array | null>;
  /** The bytes at hand, at most `length` bytes; `null` at the end. Copies nothing. */
  some(length: number): Promise<Uint8Array | null>;
}

/** Takes bytes from chunks of any size, and no chunk before it is needed. */
export function createTarBytes(chunks: AsyncIterator<Uint8Array>): TarBytes {
  let rest: Uint8Array = new Uint8Array();
  const some = async (length: number) => {
    while (rest.length === 0) {
      const { done, value } = await chunks.next();
      if (done) return null;
      rest = value;
    }
    const taken = rest.subarray(0, length);
    rest = rest.subarray(taken.length);
    return taken;
  };
  return {
    some,
    async take(length) {
      const parts: Uint8Array[] = [];
      for (let left = length; left > 0;) {
        const part = await some(left);
        if (part === null) return null;
        if (part.length === length) return part;
        parts.push(part);
        left -= part.length;
      }
      return concatBytes(parts);
    },
  };
}
