const encoder = new TextEncoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Encodes text as UTF-8. Lone surrogates become U+FFFD, as in the Encoding standard. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Decodes UTF-8 strictly; a byte order mark is kept. @returns `null` when `bytes` are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return null; // the decoder's only failure is malformed input
  }
}

/** Whether `text` has no lone surrogate, so that it can be written as UTF-8 without loss. */
export function isWellFormed(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const next = text.charCodeAt(i + 1); // NaN at the end
    if (unit > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) return false;
    i++;
  }
  return true;
}

/** Lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let hex = "";
  for (let i = 0; i < bytes.length; i++) hex += (bytes[i] ?? 0).toString(16).padStart(2, "0");
  return hex;
}

/** Joins chunks into one array. */
export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}

/**
 * Reads `body` to its end.
 *
 * @param maxBytes Inclusive bound, in bytes; the stream is cancelled as soon as it is passed.
 * @param signal Checked before every read; its reason is thrown.
 * @param onChunk Called with each chunk.
 * @returns All bytes, or `null` if there are more than `maxBytes`.
 */
export async function readAtMost(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal?: AbortSignal,
  onChunk?: (chunk: Uint8Array) => void,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const reader = body.getReader();
  const onAbort = () => void reader.cancel(signal?.reason).catch(() => undefined);
  signal?.addEventListener("abort", onAbort, { once: true });
  const chunks: Uint8Array[] = [];
  let joined = 0;
  let size = 0;
  try {
    for (;;) {
      if (signal?.aborted) {
        onAbort();
        throw signal.reason;
      }
      const { done, value } = await reader.read();
      if (signal?.aborted) throw signal.reason; // a cancelled read ends as `done`
      if (done) return concatBytes(chunks);
      size += value.length;
      if (size > maxBytes) {
        await reader.cancel("too large");
        return null;
      }
      // Joined now and then: an array of one byte takes a hundred, and a sender may send millions.
      if (chunks.push(value) > joined + 999) chunks.push(concatBytes(chunks.splice(joined++)));
      onChunk?.(value);
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
    reader.releaseLock();
  }
}

/** A view of exactly these bytes, for reading numbers. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
