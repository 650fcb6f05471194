import { encodeUtf8 } from "./bytes.ts";

/** Bytes at the beginning of each text that are searched for first. */
const HEAD_BYTES = 4;
/** The pairs of bytes in a head; one of them begins at every third byte. */
const PAIRS = HEAD_BYTES - 1;

/**
 * Searches bytes for several texts at once, without decoding them: reads only every third pair, and
 * looks closer only if it is among a text's first four bytes.
 *
 * @param texts At least four bytes each.
 * @returns A function that tells whether bytes contain any of the texts.
 */
export function createByteSearch(texts: readonly string[]): (bytes: Uint8Array) => boolean {
  const needles = texts.map(encodeUtf8);
  const isOfHead = new Uint8Array(0x1_0000);
  for (const text of needles) {
    if (text.length < HEAD_BYTES) throw new RangeError("Cannot search for less than four bytes");
    for (let at = 0; at < PAIRS; at++) isOfHead[pairAt(text, at)] = 1;
  }
  const hasPair = (bytes: Uint8Array, pair: number) => {
    for (let start = Math.max(0, pair - PAIRS + 1); start <= pair; start++) {
      if (needles.some((text) => isAt(bytes, start, text))) return true;
    }
    return false;
  };
  return (bytes) => {
    for (let at = 0; at < bytes.length; at += PAIRS) {
      if (isOfHead[pairAt(bytes, at)] === 1 && hasPair(bytes, at)) return true;
    }
    return false;
  };
}

function pairAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) << 8 | (bytes[at + 1] ?? 0);
}

function isAt(bytes: Uint8Array, start: number, text: Uint8Array): boolean {
  for (let at = 0; at < text.length; at++) {
    if (bytes[start + at] !== text[at]) return false;
  }
  return true;
}
