import { Zlib } from "fflate";
import { concatBytes } from "../../core/bytes.ts";
import { runAtOnce, type Work } from "../../core/cooperative.ts";
import { isOpaque } from "../../core/decode-png.ts";
import { pngFile } from "../../core/png-file.ts";
import { expectedByte } from "../../core/png-filter.ts";
import type { Square } from "./pixels.ts";

/** In the order of trial; the first one reduces flat colours to zeros. */
const FILTERS = [2, 1, 4, 3, 0];

/** {@linkcode encoding} without a pause: for small squares. */
export function encodePng(square: Square): Uint8Array<ArrayBuffer> {
  return runAtOnce(encoding(square));
}

/**
 * Encodes a square as PNG, with opacity only for a transparent one. Every runtime produces the same
 * bytes.
 */
export function* encoding(square: Square): Work<Uint8Array<ArrayBuffer>> {
  const { side, rgba } = square;
  const channels = isOpaque(square) ? 3 : 4;
  const rowBytes = side * channels;
  const packed: Uint8Array[] = [];
  // Not the runtime's: its output differs between runtimes and versions.
  const deflate = new Zlib({ level: 9 }, (part) => packed.push(part));
  let above = new Uint8Array(rowBytes);
  for (let y = 0; y < side; y++) {
    const row = new Uint8Array(rowBytes);
    for (let x = 0; x < side; x++) {
      const at = (y * side + x) * 4;
      row.set(rgba.subarray(at, at + channels), x * channels);
    }
    deflate.push(filteredRow(row, above, channels), y === side - 1);
    above = row;
    yield;
  }
  return pngFile({ width: side, height: side, channels }, concatBytes(packed));
}

/** The filter's number and the filtered row, of the filter that leaves the least (§12.7). */
function filteredRow(row: Uint8Array, above: Uint8Array, channels: number): Uint8Array {
  let [best, least] = [new Uint8Array(), Infinity];
  for (const filter of FILTERS) {
    const filtered = new Uint8Array(row.length + 1);
    filtered[0] = filter;
    let left = 0;
    for (let at = 0; at < row.length && left < least; at++) {
      const a = at < channels ? 0 : row[at - channels] ?? 0;
      const b = above[at] ?? 0;
      const c = at < channels ? 0 : above[at - channels] ?? 0;
      const guess = expectedByte(filter, a, b, c);
      const rest = ((row[at] ?? 0) - guess) & 255;
      filtered[at + 1] = rest;
      left += Math.min(rest, 256 - rest);
    }
    if (left < least) [best, least] = [filtered, left];
  }
  return best;
}
