import type { WebContent } from "./web-content.ts";

/** The largest image that is decoded, in pixels: 256 MB in memory, whatever its file weighs. */
export const MAX_PIXELS: number = 64 * 1024 * 1024;

/** Decodes an image of the game. @throws {TypeError} Where it is none, or larger than any screen needs. */
export async function decodeImage(
  { details }: Pick<WebContent, "details">,
  { guid, bytes, ...options }: ImageBitmapOptions & {
    readonly guid: string;
    readonly bytes: Uint8Array<ArrayBuffer>;
  },
): Promise<ImageBitmap> {
  const { width, height } = details.get(guid)?.pixels ?? { width: 0, height: 0 };
  if (width * height > MAX_PIXELS) {
    throw new TypeError(`found ${width} x ${height} pixels, expected at most ${MAX_PIXELS} in all`);
  }
  return await createImageBitmap(new Blob([bytes]), options);
}
