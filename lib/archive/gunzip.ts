/** A gzip header without name, time or anything else (RFC 1952 §2.3). */
export const GZIP_HEADER: Uint8Array<ArrayBuffer> = Uint8Array.of(
  ...[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff],
);

/**
 * Bytes in one piece for the platform's inflater. Deno's inflates a complete piece before it can be
 * stopped, to as much as 1,032 times its size.
 */
export const PIECE_BYTES = 16 * 1024;

/**
 * Inflates one gzip member; the platform checks its sum and size. Pieces are requested only as fast
 * as the output is read.
 *
 * @throws Errors of `pieces`, unchanged; the platform's errors for damaged bytes.
 */
export async function* gunzip(
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new DecompressionStream("gzip");
  const reader = readable.getReader();
  const pumped = pump(pieces, writable.getWriter());
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (thrown) {
    const failure = await pumped;
    throw failure === null ? thrown : failure.thrown; // the platform may put it in other words
  } finally {
    await reader.cancel().catch(() => undefined); // its failure was reported
    await pumped;
  }
}

/** @returns The failure of the pieces; the reader gets those of the inflater. */
async function pump(
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
  writer: WritableStreamDefaultWriter<BufferSource>,
): Promise<{ readonly thrown: unknown } | null> {
  const ignored = () => undefined; // the reader throws it
  try {
    let open = true;
    for await (const piece of pieces) {
      open = await writer.write(piece).then(() => true, () => false);
      if (!open) return null;
    }
  } catch (thrown) {
    await writer.abort(thrown).catch(ignored);
    return { thrown };
  }
  await writer.close().catch(ignored);
  return null;
}
