import { concatBytes } from "../core/bytes.ts";

/** Bytes of one chunk: each costs a trip to the disk. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Makes a stream of large chunks. Reads only on demand; cancelling the stream also stops the
 * source.
 */
export function streamOf(bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunks: Uint8Array[] = [];
      for (let size = 0; size < CHUNK_BYTES;) {
        const { done, value } = await iterator.next();
        if (done) {
          if (chunks.length > 0) controller.enqueue(concatBytes(chunks));
          return controller.close();
        }
        chunks.push(value);
        size += value.length;
      }
      controller.enqueue(concatBytes(chunks));
    },
    async cancel() {
      await iterator.return?.();
    },
  }, { highWaterMark: 0 });
}

/**
 * Gathers small chunks into large ones. Each is overwritten when the next is requested; the input
 * may do the same.
 */
export async function* gathered(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  let size = 0;
  for await (const chunk of chunks) {
    if (size + chunk.length > buffer.length) {
      if (size > 0) yield buffer.subarray(0, size);
      size = 0;
    }
    if (chunk.length > buffer.length) yield chunk;
    else {
      buffer.set(chunk, size);
      size += chunk.length;
    }
  }
  if (size > 0) yield buffer.subarray(0, size);
}
