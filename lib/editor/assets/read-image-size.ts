import { viewOf } from "../../core/bytes.ts";
import { imageSize, type PixelSize } from "../../core/image-size.ts";
import type { Files } from "../../ports/files.ts";

/** The widest and highest picture that is believed, in pixels: JPEG's, and more than any phone loads. */
const MAX_PIXELS = 65_535;

/** Bytes of a picture that are read: in a JPEG, the size follows the camera's metadata. */
const MAX_HEADER_BYTES = 256 * 1024;

/**
 * Reads the size of a PNG, JPEG, WebP, Radiance or KTX2 picture from its header; `null` if it has
 * none.
 */
export async function readPixelSize(files: Files, location: string): Promise<PixelSize | null> {
  const head = await files.readRange(location, 0, 64);
  if (head === null) return null;
  const isJpeg = head[0] === 0xff && head[1] === 0xd8;
  const isRadiance = head[0] === 0x23 && head[1] === 0x3f;
  const bytes = isJpeg || isRadiance ? await files.readRange(location, 0, MAX_HEADER_BYTES) : head;
  return bytes === null ? null : pixelSize(bytes);
}

/** Returns the size in a picture's first bytes; `null` if they contain none. */
export function pixelSize(bytes: Uint8Array): PixelSize | null {
  const size = imageSize(bytes) ?? ktx2Size(viewOf(bytes));
  if (size === null || Math.min(size.width, size.height) === 0) return null;
  return Math.max(size.width, size.height) <= MAX_PIXELS ? size : null;
}

// KTX 2.0 §3: 12 bytes of identifier, 12 vkFormat, 16 typeSize, 20 pixelWidth, 24 pixelHeight.
function ktx2Size(view: DataView): PixelSize | null {
  const isKtx = view.byteLength >= 28 && view.getUint32(0) === 0xab4b5458 &&
    view.getUint32(4) === 0x203230bb;
  return isKtx ? { width: view.getUint32(20, true), height: view.getUint32(24, true) } : null;
}
