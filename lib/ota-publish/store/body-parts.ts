import type { ObjectBody } from "./bucket.ts";

/** Reads an object's body piece by piece, so that no more than one piece is held. */
export interface BodyParts {
  /**
   * Fills `part` with the next bytes. Throws when the body fails, is shorter, or, with the last
   * piece, when it is longer: the last piece is only full once the body has ended well.
   */
  fill(part: Uint8Array): Promise<void>;
  /** Releases the body. */
  close(): Promise<void>;
}

/** Opens a body for reading in pieces. Throws when it does not open. */
export async function openParts(body: ObjectBody): Promise<BodyParts> {
  const reader = (await body.open()).getReader();
  let pending: Uint8Array = new Uint8Array();
  let taken = 0;

  /** The next bytes that are not none, or `null` at the end. */
  async function nextChunk(): Promise<Uint8Array | null> {
    while (pending.length === 0) {
      const { done, value } = await reader.read();
      if (done) return null;
      pending = value;
    }
    return pending;
  }

  return {
    async fill(part) {
      let filled = 0;
      while (filled < part.length) {
        const chunk = await nextChunk();
        if (chunk === null) throw wrongLength(taken + filled, body.size);
        const used = chunk.subarray(0, part.length - filled);
        part.set(used, filled);
        filled += used.length;
        pending = chunk.subarray(used.length);
      }
      taken += part.length;
      if (taken === body.size && await nextChunk() !== null) {
        throw wrongLength(`more than ${taken}`, body.size);
      }
    },
    close: () => reader.cancel("no longer needed").catch(() => undefined),
  };
}

function wrongLength(found: number | string, size: number): Error {
  return new Error(`Its body has ${found} bytes, expected ${size}`);
}
