import { viewOf } from "./bytes.ts";
import type { PixelSize } from "./image-size.ts";
import { PNG_SIGNATURE } from "./png.ts";
import { err, ok, type Result } from "./result.ts";

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

/** The header of a PNG file (ISO/IEC 15948 §11.2.2). */
export interface PngHeader extends PixelSize {
  /** Bits of a channel. */
  readonly depth: number;
  /** The number of its kind of colour. */
  readonly color: number;
  readonly channels: number;
  readonly isInterlaced: boolean;
}

/** The chunks of a PNG file. Palette and transparency are empty if the file has none. */
export interface PngParts extends PngHeader {
  readonly palette: Uint8Array;
  readonly transparency: Uint8Array;
  readonly data: readonly Uint8Array<ArrayBuffer>[];
}

/**
 * Splits a PNG file into its chunks, each length (4), type (4), data, checksum (4), to `IEND`.
 * Unpacks nothing.
 *
 * @param fits Decides whether to accept a picture of this size.
 * @returns Or what was found instead, in words.
 */
export function pngParts(
  bytes: Uint8Array<ArrayBuffer>,
  fits: (size: PixelSize) => boolean,
): Result<PngParts, string> {
  if (PNG_SIGNATURE.some((byte, index) => bytes[index] !== byte)) return err("no PNG");
  const view = viewOf(bytes);
  const data: Uint8Array<ArrayBuffer>[] = [];
  let header: PngHeader | null = null;
  let [palette, transparency] = [new Uint8Array(), new Uint8Array()];
  let chunks = 0;
  for (let at = PNG_SIGNATURE.length; at + 12 <= bytes.length;) {
    if (++chunks > MAX_CHUNKS) return err(`a PNG of more than ${MAX_CHUNKS} chunks`);
    const length = view.getUint32(at);
    if (at + 12 + length > bytes.length) return err("a PNG that is cut off");
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (type === "IHDR" && length === 13) {
      const read = headerOf(body, fits);
      if (!read.ok) return read;
      header = read.value;
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

function headerOf(
  body: Uint8Array,
  fits: (size: PixelSize) => boolean,
): Result<PngHeader, string> {
  const view = viewOf(body);
  const size = { width: view.getUint32(0), height: view.getUint32(4) };
  if (Math.min(size.width, size.height) === 0 || !fits(size)) {
    return err(`${size.width}×${size.height} pixels`);
  }
  const [depth = 0, color = 0, , , interlace = 0] = body.subarray(8);
  const channels = CHANNELS.get(color);
  if (channels === undefined || DEPTHS.get(color)?.includes(depth) !== true || interlace > 1) {
    return err("a PNG of a kind that there is not");
  }
  return ok({ ...size, depth, color, channels, isInterlaced: interlace === 1 });
}
