import { MAX_HEADER_BYTES, type PixelSize, pixelSize } from "../../core/image-size.ts";
import type { Files } from "../../ports/files.ts";

/** Reads the size of a PNG, JPEG, WebP or KTX2 picture from its header; `null` when it tells none. */
export async function readPixelSize(files: Files, location: string): Promise<PixelSize | null> {
  const head = await files.readRange(location, 0, 64);
  if (head === null) return null;
  const isJpeg = head[0] === 0xff && head[1] === 0xd8;
  const bytes = isJpeg ? await files.readRange(location, 0, MAX_HEADER_BYTES) : head;
  return bytes === null ? null : pixelSize(bytes);
}
