import { imageSize } from "../../core/image-size.ts";

/** The largest image that is decoded, in pixels: 256 MB in memory, whatever its file weighs. */
export const MAX_PIXELS: number = 64 * 1024 * 1024;

/** Decodes the numbers of a texture as they are. */
export const AS_THEY_ARE: ImageBitmapOptions = {
  premultiplyAlpha: "none",
  colorSpaceConversion: "none",
};

/**
 * Decodes an image of the game.
 *
 * @throws {TypeError} Where it is no PNG, JPEG or WebP, or larger than any screen needs: what a browser
 * knows beside these tells us no size before it is decoded.
 */
export function decodeImage(
  bytes: Uint8Array<ArrayBuffer>,
  options?: ImageBitmapOptions,
): Promise<ImageBitmap> {
  const size = imageSize(bytes);
  if (size !== null && size.width * size.height <= MAX_PIXELS) {
    return createImageBitmap(new Blob([bytes]), options);
  }
  const found = size === null ? "no size" : `${size.width} x ${size.height}`;
  throw new TypeError(
    `found ${found}, expected a PNG, JPEG or WebP of at most ${MAX_PIXELS} pixels`,
  );
}
