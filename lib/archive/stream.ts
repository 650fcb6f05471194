import { concatBytes } from "../core/bytes.ts";

/** Bytes of one chunk: each costs a trip to the disk. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Makes a stream of large chunks. Nothing is read before it is asked for; who stops early stops
 * the source too.
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
