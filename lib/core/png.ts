import { viewOf } from "./bytes.ts";
import { crc32 } from "./crc32.ts";

/** Pixels of the largest picture that is drawn or read. */
export const MAX_PIXELS: number = 16 * 1024 * 1024;

/** Pixels of a picture. */
interface PngSize {
  readonly width: number;
  readonly height: number;
}

/** The first bytes of every PNG (ISO/IEC 15948 §5.2). */
export const PNG_SIGNATURE: Uint8Array = Uint8Array.of(
  0x89,
  0x50,
  0x4e,
  0x47,
  0x0d,
  0x0a,
  0x1a,
  0x0a,
);
/** Bytes in which a file states its size. */
export const PNG_HEAD_BYTES = 33;
/** The size of a chunk without its data: length, type and checksum, 4 bytes each. */
const CHUNK_BYTES = 12;
const [IHDR, IDAT, IEND] = [0x49484452, 0x49444154, 0x49454e44];

/**
 * Reads the size that a PNG file states. Does not decode it: a file with more than {@linkcode
 * MAX_PIXELS} counts as no picture, however small it is.
 *
 * @returns `null` for other files.
 */
export function pngSize(
  bytes: Uint8Array,
): { readonly width: number; readonly height: number } | null {
  // 0: signature; 8: length of the first chunk, 13; 12: "IHDR"; 16: width; 20: height.
  if (bytes.length < PNG_HEAD_BYTES) return null;
  if (PNG_SIGNATURE.some((byte, index) => bytes[index] !== byte)) return null;
  const view = viewOf(bytes);
  if (view.getUint32(8) !== 13 || view.getUint32(12) !== IHDR) return null;
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  return width > 0 && height > 0 && width * height <= MAX_PIXELS ? { width, height } : null;
}

/**
 * {@linkcode pngSize} of a complete file: every chunk with the right checksum, pixels among them,
 * and no bytes after `IEND` (ISO/IEC 15948 §5.3).
 *
 * @returns `null` for any other.
 */
export function wholePngSize(bytes: Uint8Array): PngSize | null {
  const size = pngSize(bytes);
  if (size === null) return null;
  const view = viewOf(bytes);
  let hasPixels = false;
  for (let at = PNG_SIGNATURE.length; at + CHUNK_BYTES <= bytes.length;) {
    const end = at + CHUNK_BYTES + view.getUint32(at);
    if (end > bytes.length) return null;
    if (view.getUint32(end - 4) !== crc32(bytes.subarray(at + 4, end - 4))) return null;
    const type = view.getUint32(at + 4);
    hasPixels ||= type === IDAT && end > at + CHUNK_BYTES;
    if (type === IEND) return hasPixels && end === bytes.length ? size : null;
    at = end;
  }
  return null;
}
