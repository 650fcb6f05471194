import { readAtMost } from "../../core/bytes.ts";
import type { ObjectFacts } from "./bucket.ts";
import type { StoreAnswer } from "./requests.ts";

// Objects that are stored gzip-coded (PUB-28): told by `Content-Encoding`, and by metadata that says
// how many bytes they are once decoded.

/** Size of a piece for the inflater, in bytes. */
const PIECE_BYTES = 16 * 1024;

/** Converts a store's facts about an object. Coded objects are never empty. */
export function toObjectFacts(
  { size, decodedSize }: { readonly size: number; readonly decodedSize?: number },
): ObjectFacts {
  return decodedSize === undefined || size === 0 ? { size } : { size: decodedSize, served: size };
}

/**
 * The decoded bytes of a small object, whether `fetch` has decoded them or not: those who are told
 * `Accept-Encoding: identity` do not. No record begins as gzip does.
 *
 * @returns `null` when they are damaged, or more than `maxBytes`.
 */
export async function decodedBytes(
  { headers, bytes }: Pick<StoreAnswer, "headers" | "bytes">,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const isCoded = headers.get("content-encoding") === "gzip" && bytes[0] === 0x1f &&
    bytes[1] === 0x8b;
  if (!isCoded) return bytes;
  const { readable, writable } = new DecompressionStream("gzip");
  inPieces(bytes).pipeTo(writable).catch(() => undefined); // whoever reads hears of it
  return await readAtMost(readable, maxBytes).catch(() => null);
}

/** Small ones: some engines inflate each whole before anything can be said against it. */
function inPieces(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, at += PIECE_BYTES));
      else controller.close();
    },
  }, { highWaterMark: 0 });
}
