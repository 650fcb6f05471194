import { viewOf } from "../../core/bytes.ts";
import type { Viewport } from "../../editor/ports/mod.ts";

/** Pixels of the largest picture that is drawn or read. */
export const MAX_PIXELS: number = 16 * 1024 * 1024;

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/**
 * The size that a PNG file says it has. It is not decoded here: a file that says more than
 * {@linkcode MAX_PIXELS} is no picture to us, however small it is.
 *
 * @returns `null` for what is no PNG.
 */
export function pngSize(bytes: Uint8Array): Viewport | null {
  // 0: signature; 8: length of the first chunk, 13; 12: "IHDR"; 16: width; 20: height.
  if (bytes.length < 33 || SIGNATURE.some((byte, index) => bytes[index] !== byte)) return null;
  const view = viewOf(bytes);
  if (view.getUint32(8) !== 13 || view.getUint32(12) !== 0x49484452) return null;
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  return width > 0 && height > 0 && width * height <= MAX_PIXELS ? { width, height } : null;
}
