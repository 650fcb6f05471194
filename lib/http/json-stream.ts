import { wholeJson } from "../agent/mod.ts";
import { encodeUtf8 } from "../core/bytes.ts";
import { turnsBetween } from "../core/cooperative.ts";

/** Items of a list written between two yields: about a millisecond. */
const PIECE = 256;
/** Characters of one chunk. */
const SENT_AT_ONCE = 64 * 1024;

/**
 * Streams an object as compact JSON of any length, and yields to other work. No member that is a
 * list or a map is ever held as one text. The object must not change.
 */
export function jsonStream(
  value: object,
  { now, signal }: { readonly now: () => number; readonly signal: AbortSignal },
): ReadableStream<Uint8Array> {
  const pieces = piecesOf(value);
  const turn = turnsBetween(now);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let text = "";
      while (text.length < SENT_AT_ONCE) {
        await turn();
        if (signal.aborted) return controller.close(); // the reader disconnected, which is not a handler's failure
        const { done, value } = pieces.next();
        if (done === true) {
          if (text !== "") controller.enqueue(encodeUtf8(text));
          return controller.close();
        }
        text += value;
      }
      controller.enqueue(encodeUtf8(text));
    },
  });
}

function* piecesOf(value: object): Generator<string> {
  let lead = "{";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${lead}${wholeJson(name)}:`;
    lead = ",";
    if (Array.isArray(member)) yield* listPieces(member);
    else if (member instanceof Map) yield* mapPieces(member);
    else yield wholeJson(member);
  }
  yield lead === "{" ? "{}" : "}";
}

function* listPieces(items: readonly unknown[]): Generator<string> {
  yield "[";
  for (let i = 0; i < items.length; i += PIECE) {
    yield `${i === 0 ? "" : ","}${wholeJson(items.slice(i, i + PIECE)).slice(1, -1)}`;
  }
  yield "]";
}

/** Writes a map as an object. */
function* mapPieces(entries: ReadonlyMap<unknown, unknown>): Generator<string> {
  let lead = "{";
  let piece: [string, unknown][] = [];
  const text = () => `${lead}${wholeJson(Object.fromEntries(piece)).slice(1, -1)}`;
  for (const [key, item] of entries) {
    piece.push([String(key), item]);
    if (piece.length < PIECE) continue;
    yield text();
    [lead, piece] = [",", []];
  }
  yield piece.length > 0 ? `${text()}}` : lead === "{" ? "{}" : "}";
}
