import type { ContentRef } from "../ota-format/release.ts";
import type { Hashing } from "../ports/hashing.ts";

/**
 * Passes a file through and fails at its end when it is not what was hashed before: a build that
 * still runs must not end up under the address of other bytes.
 */
export function unchanged(
  source: ReadableStream<Uint8Array>,
  { hash, size }: ContentRef,
  { hashing, path }: { readonly hashing: Hashing; readonly path: string },
): ReadableStream<Uint8Array> {
  const running = hashing.createSha256();
  let seen = 0;
  return source.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        running.update(chunk);
        seen += chunk.length;
        controller.enqueue(chunk);
      },
      flush() {
        if (seen === size && running.hex() === hash) return;
        throw new Error(`${path} was changed while it was published; let the build finish first`);
      },
    }),
  );
}
