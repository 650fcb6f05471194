import { readAtMost } from "./bytes.ts";

/**
 * Bytes that the platform inflates at once: Deno's inflates a piece whole, to as much as 1,032 times
 * its size, before anything can be said against it.
 */
const PIECE_BYTES = 4 * 1024;

/**
 * Inflates a zlib stream (RFC 1950), however it is cut.
 *
 * @returns `null` for what is no zlib stream, or is more than `maxBytes`; of one that is cut short some
 * platforms give the beginning.
 */
export async function inflateAtMost(
  packed: readonly Uint8Array<ArrayBuffer>[],
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces = piecesOf(packed);
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const { done, value } = pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  }, { highWaterMark: 0 });
  try {
    return await readAtMost(stream.pipeThrough(new DecompressionStream("deflate")), maxBytes);
  } catch {
    return null; // the stream's only failure is damaged input
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
