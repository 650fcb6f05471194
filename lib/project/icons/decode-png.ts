import { viewOf } from "../../core/bytes.ts";
import { runCooperatively, type Work } from "../../core/cooperative.ts";
import { inflateAtMost } from "../../core/inflate.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Square } from "./pixels.ts";
import { expectedByte, PNG_SIGNATURE } from "./png-format.ts";

/** Channels by the kind of colour that a header names; a palette's index is one. */
const CHANNELS: ReadonlyMap<number, number> = new Map([[0, 1], [2, 3], [3, 1], [4, 2], [6, 4]]);
/** Bits of a channel by the kind of colour (§11.2.2). */
const DEPTHS: ReadonlyMap<number, readonly number[]> = new Map([
  [0, [1, 2, 4, 8, 16]],
  [2, [8, 16]],
  [3, [1, 2, 4, 8]],
  [4, [8, 16]],
  [6, [8, 16]],
]);
/** Chunks that are looked at: writers of large pictures make one for each 8 KiB. */
const MAX_CHUNKS = 20_000;
const WHOLE = { x: 0, y: 0, dx: 1, dy: 1 };
/** The seven passes of an interlaced picture (§8.2). */
const ADAM7 = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
];

interface Header {
  readonly side: number;
  readonly depth: number;
  readonly color: number;
  readonly passes: readonly (typeof WHOLE)[];
}

/** A file taken apart; palette and transparency are empty where there are none. */
interface Parts extends Header {
  readonly palette: Uint8Array;
  readonly transparency: Uint8Array;
  readonly data: readonly Uint8Array<ArrayBuffer>[];
}

/**
 * Decodes a square PNG of any kind; colours are taken for sRGB. Nothing is unpacked before its size is
 * known to be in bounds, and others have their turn between two rows (BUILD-9).
 *
 * @param bounds Of a side, in pixels, inclusive.
 * @returns What was found instead, in words.
 */
export async function decodePng(
  bytes: Uint8Array<ArrayBuffer>,
  bounds: { readonly least: number; readonly most: number },
): Promise<Result<Square, string>> {
  if (PNG_SIGNATURE.some((byte, index) => bytes[index] !== byte)) return err("no PNG");
  const parts = partsOf(bytes, bounds);
  if (!parts.ok) return parts;
  const { passes, data } = parts.value;
  const size = passes.reduce((sum, pass) => sum + sizeOf(parts.value, pass).bytes, 0);
  const raw = await inflateAtMost(data, size);
  return raw?.length === size
    ? await runCooperatively(painting(parts.value, raw), { now: () => performance.now() })
    : err("a damaged PNG: its pixels cannot be unpacked");
}

/** Walks the chunks: length (4), type (4), data, checksum (4), which `IEND` ends. */
function partsOf(
  bytes: Uint8Array<ArrayBuffer>,
  { least, most }: { readonly least: number; readonly most: number },
): Result<Parts, string> {
  const view = viewOf(bytes);
  const data: Uint8Array<ArrayBuffer>[] = [];
  let header: Header | null = null;
  let [palette, transparency] = [new Uint8Array(), new Uint8Array()];
  let chunks = 0;
  for (let at = 8; at + 12 <= bytes.length;) {
    if (++chunks > MAX_CHUNKS) return err(`a PNG of more than ${MAX_CHUNKS} chunks`);
    const length = view.getUint32(at);
    if (at + 12 + length > bytes.length) return err("a PNG that is cut off");
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (type === "IHDR" && length === 13) {
      const [width, height] = [view.getUint32(at + 8), view.getUint32(at + 12)];
      if (width !== height || width < least || width > most) {
        return err(`${width}×${height} pixels`);
      }
      const [depth = 0, color = 0, , , interlace = 0] = body.subarray(8);
      if (DEPTHS.get(color)?.includes(depth) !== true || interlace > 1) {
        return err("a PNG of a kind that there is not");
      }
      header = { side: width, depth, color, passes: interlace === 1 ? ADAM7 : [WHOLE] };
    } else if (type === "PLTE") palette = body;
    else if (type === "tRNS") transparency = body;
    else if (type === "IDAT") data.push(body);
    at += 12 + length;
    if (type === "IEND") break;
  }
  return header === null || data.length === 0
    ? err("a PNG without pixels")
    : ok({ ...header, palette, transparency, data });
}

/** How large a pass is, with a filter's number before each row. Small pictures have empty passes. */
function sizeOf({ side, depth, color }: Header, { x, y, dx, dy }: typeof WHOLE) {
  const width = Math.max(0, Math.ceil((side - x) / dx));
  const height = width === 0 ? 0 : Math.max(0, Math.ceil((side - y) / dy));
  const rowBytes = Math.ceil(width * (CHANNELS.get(color) ?? 1) * depth / 8);
  return { width, height, rowBytes, bytes: (rowBytes + 1) * height };
}

function* painting(parts: Parts, raw: Uint8Array): Work<Result<Square, string>> {
  const { side, passes } = parts;
  const rgba = new Uint8Array(side * side * 4);
  let at = 0;
  for (const pass of passes) {
    const { width, height, rowBytes } = sizeOf(parts, pass);
    let above: Uint8Array = new Uint8Array(rowBytes);
    for (let row = 0; row < height; row++, at += rowBytes + 1) {
      const filter = raw[at] ?? 0;
      if (filter > 4) return err("a damaged PNG: a row has no filter that there is");
      const bytes = raw.subarray(at + 1, at + 1 + rowBytes);
      unfilter(bytes, above, { filter, step: stepOf(parts) });
      const start = ((pass.y + row * pass.dy) * side + pass.x) * 4;
      if (isPlain(parts)) rgba.set(bytes, start);
      else {
        for (let column = 0; column < width; column++) {
          rgba.set(pixelAt(parts, bytes, column), start + column * pass.dx * 4);
        }
      }
      above = bytes;
      yield;
    }
  }
  return ok({ side, rgba });
}

/** Whether a row is as it is shown: eight bits each of red, green, blue and opacity, side by side. */
function isPlain({ depth, color, passes }: Parts): boolean {
  return depth === 8 && color === 6 && passes.length === 1;
}

/** Bytes from a pixel to the next, at least 1. */
function stepOf({ depth, color }: Header): number {
  return Math.max(1, (CHANNELS.get(color) ?? 1) * depth >> 3);
}

/** Puts back what a filter took away (§9.2). */
function unfilter(
  row: Uint8Array,
  above: Uint8Array,
  { filter, step }: { readonly filter: number; readonly step: number },
): void {
  if (filter === 0) return;
  for (let at = 0; at < row.length; at++) {
    const a = at < step ? 0 : row[at - step] ?? 0;
    const b = above[at] ?? 0;
    const c = at < step ? 0 : above[at - step] ?? 0;
    const guess = expectedByte(filter, a, b, c);
    row[at] = (row[at] ?? 0) + guess;
  }
}

/** Red, green, blue and opacity of a pixel. */
function pixelAt(
  { depth, color, palette, transparency }: Parts,
  row: Uint8Array,
  column: number,
): readonly [number, number, number, number] {
  const channels = CHANNELS.get(color) ?? 1;
  const sample = (channel: number) => {
    const index = column * channels + channel;
    if (depth === 16) return (row[index * 2] ?? 0) << 8 | (row[index * 2 + 1] ?? 0);
    const bit = index * depth;
    return (row[bit >> 3] ?? 0) >> (8 - depth - (bit & 7)) & ((1 << depth) - 1);
  };
  const eight = (value: number) => Math.round(value * 255 / ((1 << depth) - 1));
  /** Whether a `tRNS` chunk says of this colour that it is not seen. */
  const isHidden = (values: readonly number[]) =>
    transparency.length >= values.length * 2 &&
    values.every((value, n) =>
      value === ((transparency[n * 2] ?? 0) << 8 | (transparency[n * 2 + 1] ?? 0))
    );
  const [first, second, third] = [sample(0), sample(1), sample(2)];
  switch (color) {
    case 3: {
      const [red = 0, green = 0, blue = 0] = palette.subarray(first * 3, first * 3 + 3);
      return [red, green, blue, transparency[first] ?? 255];
    }
    case 0:
    case 4: {
      const grey = eight(first);
      const opacity = color === 4 ? eight(second) : isHidden([first]) ? 0 : 255;
      return [grey, grey, grey, opacity];
    }
    default: {
      const opacity = color === 6 ? eight(sample(3)) : isHidden([first, second, third]) ? 0 : 255;
      return [eight(first), eight(second), eight(third), opacity];
    }
  }
}
