import { turnsBetween } from "./cooperative.ts";
import type { PixelSize } from "./image-size.ts";
import { Inflated } from "./inflate.ts";
import { MAX_PIXELS } from "./png.ts";
import { expectedByte } from "./png-filter.ts";
import { type PngHeader, type PngParts, pngParts } from "./png-parts.ts";
import { err, ok, type Result } from "./result.ts";

/** The longest side of a decoded picture, in pixels: a row is processed without a pause. */
const MAX_SIDE = 16_384;
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

/** Pixels of a picture: rows from the top, four bytes a pixel, red, green, blue, opacity. */
export interface Pixels extends PixelSize {
  /** sRGB, not multiplied by opacity; `width × height × 4` bytes. */
  readonly rgba: Uint8Array<ArrayBuffer>;
}

/** Returns whether no pixel is transparent. */
export function isOpaque({ rgba }: Pick<Pixels, "rgba">): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return false;
  return true;
}

/** Which pictures are decoded, and how the work shares the thread. */
export interface PngDecoding {
  /** Decides whether to decode a picture of this size; when absent, all within the bounds. */
  readonly fits?: (size: PixelSize) => boolean;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/**
 * Decodes a PNG of any kind (ISO/IEC 15948); treats colours as sRGB. Checks the size before it
 * unpacks anything, unpacks rows on demand, and gives the event loop turns between two of them
 * (BUILD-9).
 *
 * @returns The pixels, or a phrase that says what was found instead.
 */
export async function decodePng(
  bytes: Uint8Array<ArrayBuffer>,
  { fits = () => true, now = () => performance.now() }: PngDecoding = {},
): Promise<Result<Pixels, string>> {
  const parts = pngParts(
    bytes,
    (size) =>
      Math.max(size.width, size.height) <= MAX_SIDE && size.width * size.height <= MAX_PIXELS &&
      fits(size),
  );
  if (!parts.ok) return parts;
  const turn = turnsBetween(now);
  const raw = new Inflated(parts.value.data, turn);
  try {
    return await painted(parts.value, raw, turn);
  } finally {
    await raw.close();
  }
}

async function painted(
  parts: PngParts,
  raw: Inflated,
  turn: () => Promise<void>,
): Promise<Result<Pixels, string>> {
  const { width, height, isInterlaced } = parts;
  const rgba = new Uint8Array(width * height * 4);
  for (const pass of isInterlaced ? ADAM7 : [WHOLE]) {
    const { columns, rows, rowBytes } = sizeOf(parts, pass);
    let above: Uint8Array = new Uint8Array(rowBytes);
    for (let row = 0; row < rows; row++) {
      await turn();
      const filtered = new Uint8Array(rowBytes + 1);
      if (!await raw.read(filtered)) return err("a damaged PNG: its pixels cannot be unpacked");
      const [filter = 0] = filtered;
      if (filter > 4) return err("a damaged PNG: a row has no filter that there is");
      const bytes = filtered.subarray(1);
      unfilter(bytes, above, { filter, step: stepOf(parts) });
      const start = ((pass.y + row * pass.dy) * width + pass.x) * 4;
      if (isPlain(parts)) rgba.set(bytes, start);
      else {
        for (let column = 0; column < columns; column++) {
          rgba.set(pixelAt(parts, bytes, column), start + column * pass.dx * 4);
        }
      }
      above = bytes;
    }
  }
  return await raw.isAtEnd()
    ? ok({ width, height, rgba })
    : err("a damaged PNG: its pixels cannot be unpacked");
}

/** The rows of a pass. Small pictures have empty passes. */
function sizeOf(
  { width, height, depth, channels }: PngHeader,
  { x, y, dx, dy }: typeof WHOLE,
) {
  const columns = Math.max(0, Math.ceil((width - x) / dx));
  const rows = columns === 0 ? 0 : Math.max(0, Math.ceil((height - y) / dy));
  return { columns, rows, rowBytes: Math.ceil(columns * channels * depth / 8) };
}

/** Whether a row is as it is shown: eight bits each of red, green, blue and opacity, side by side. */
function isPlain({ depth, color, isInterlaced }: PngHeader): boolean {
  return depth === 8 && color === 6 && !isInterlaced;
}

/** Bytes from a pixel to the next, at least 1. */
function stepOf({ depth, channels }: PngHeader): number {
  return Math.max(1, channels * depth >> 3);
}

/** Reverses a filter (§9.2). */
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
  { depth, color, channels, palette, transparency }: PngParts,
  row: Uint8Array,
  column: number,
): readonly [number, number, number, number] {
  const sample = (channel: number) => {
    const index = column * channels + channel;
    if (depth === 16) return (row[index * 2] ?? 0) << 8 | (row[index * 2 + 1] ?? 0);
    const bit = index * depth;
    return (row[bit >> 3] ?? 0) >> (8 - depth - (bit & 7)) & ((1 << depth) - 1);
  };
  const eight = (value: number) => Math.round(value * 255 / ((1 << depth) - 1));
  /** Returns whether a `tRNS` chunk makes this colour transparent. */
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
