import type { PixelSize } from "../../core/image-size.ts";

const MIB = 1024 * 1024;

/** Maximum pixels of a picture that is decoded: 256 MB in memory, whatever its file size. */
export const MAX_PICTURE_PIXELS: number = 64 * MIB;

/**
 * Maximum graphics memory for a page's pictures, in bytes: beyond it, phones terminate the page
 * without a message (decision 116).
 */
export const MAX_PICTURE_BYTES: number = 1536 * MIB;

/** The share of a scene, in bytes: two are in memory while one follows the other. */
export const MAX_SCENE_PICTURE_BYTES: number = MAX_PICTURE_BYTES / 2;

/** Bytes of a picture of the 2D and UI layers: four a pixel. */
export function flatBytes({ width, height }: PixelSize): number {
  return width * height * 4;
}

/** Bytes of a texture: its mipmaps are a third of it. */
export function textureBytes(size: PixelSize): number {
  return flatBytes(size) * 4 / 3;
}

/**
 * Returns the maximum bytes of a panorama with the cube maps that three.js derives from it: one for
 * display, with faces as high as the picture, in colour and depth (8 bytes); and two for lighting,
 * with faces a quarter as wide, in half floats with mipmaps (a third more than 8 bytes).
 *
 * @param perPixel Bytes of a pixel: 8 for half floats.
 */
export function panoramaBytes({ width, height }: PixelSize, perPixel: number = 4): number {
  return width * height * perPixel + 6 * height * height * 8 + 8 * width * width;
}
