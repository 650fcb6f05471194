import { pixelSize } from "../../core/image-size.ts";

/** The largest image that is decoded, in pixels: 256 MB in memory, whatever its file weighs. */
export const MAX_PIXELS: number = 64 * 1024 * 1024;

/**
 * Decodes an image of the game.
 *
 * @throws {TypeError} Where it is no PNG, JPEG or WebP, or larger than any screen needs: what a browser
 * knows beside these tells us no size before it is decoded.
 */
export async function decodeImage(
  { bytes, ...options }: ImageBitmapOptions & { readonly bytes: Uint8Array<ArrayBuffer> },
): Promise<ImageBitmap> {
  const size = pixelSize(bytes);
  if (size === null) throw new TypeError("found no PNG, JPEG or WebP with a size");
  const { width, height } = size;
  if (width * height > MAX_PIXELS) {
    throw new TypeError(`found ${width} x ${height} pixels, expected at most ${MAX_PIXELS} in all`);
  }
  return await createImageBitmap(new Blob([bytes]), options);
}
