import { zlibSync } from "fflate";
import { concatBytes, encodeUtf8 } from "../../core/bytes.ts";
import { crc32 } from "../../core/crc32.ts";
import { isOpaque, type Square } from "./pixels.ts";
import { expectedByte, PNG_SIGNATURE } from "./png-format.ts";

/** First what leaves nothing of flat colours. */
const FILTERS = [2, 1, 4, 3, 0];

/**
 * Encodes a square as PNG, with opacity only where something shines through. The same bytes from every
 * runtime.
 */
export function encodePng(square: Square): Uint8Array<ArrayBuffer> {
  const { side, rgba } = square;
  const channels = isOpaque(square) ? 3 : 4;
  const rowBytes = side * channels;
  const raw = new Uint8Array((rowBytes + 1) * side);
  let above = new Uint8Array(rowBytes);
  for (let y = 0; y < side; y++) {
    const row = new Uint8Array(rowBytes);
    for (let x = 0; x < side; x++) {
      const at = (y * side + x) * 4;
      row.set(rgba.subarray(at, at + channels), x * channels);
    }
    raw.set(filteredRow(row, above, channels), y * (rowBytes + 1));
    above = row;
  }
  // 0: width; 4: height; 8: bits of a channel; 9: kind of colour; 10: compression, filters, interlace.
  const header = Uint8Array.of(...u32(side), ...u32(side), 8, channels === 3 ? 2 : 6, 0, 0, 0);
  return concatBytes([
    PNG_SIGNATURE,
    chunk("IHDR", header),
    // Not the runtime's: each version of each deflates to other bytes.
    chunk("IDAT", zlibSync(raw, { level: 9 })),
    chunk("IEND", new Uint8Array()),
  ]);
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

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = concatBytes([encodeUtf8(type), data]);
  return concatBytes([u32(data.length), body, u32(crc32(body))]);
}

function u32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}
