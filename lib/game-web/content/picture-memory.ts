import { imageSize, type PixelSize } from "../../core/image-size.ts";
import { MAX_PICTURE_BYTES, MAX_PICTURE_PIXELS } from "../../game/assets/mod.ts";

/** Decodes the numbers of a texture as they are. */
export const AS_THEY_ARE: ImageBitmapOptions = {
  premultiplyAlpha: "none",
  colorSpaceConversion: "none",
};

/** A decoded image. */
export interface HeldImage {
  readonly image: ImageBitmap;
  /** Closes it, and gives its memory back. */
  readonly free: () => void;
}

/** The memory that all pictures of a game share: what does not fit any more is not decoded (HOUSE-6). */
export class PictureMemory {
  #bytes = 0;

  /**
   * Decodes an image of the game.
   *
   * @param bytesOf What it takes of the memory, as it is used.
   * @throws {TypeError} As {@linkcode take}, and where it cannot be decoded.
   */
  async decode(
    bytes: Uint8Array<ArrayBuffer>,
    bytesOf: (size: PixelSize) => number,
    options?: ImageBitmapOptions,
  ): Promise<HeldImage> {
    const giveBack = this.take(imageSize(bytes), bytesOf);
    try {
      const image = await createImageBitmap(new Blob([bytes]), options);
      const free = () => {
        image.close();
        giveBack();
      };
      return { image, free };
    } catch (thrown) {
      giveBack();
      throw thrown;
    }
  }

  /**
   * Takes memory for a picture of a size.
   *
   * @param size `null` where its file tells none: what a browser knows beside the kinds that do tells it
   * after it is decoded.
   * @returns Gives it back, once.
   * @throws {TypeError} Where it tells no size, is larger than any screen needs, or does not fit beside
   * the others.
   */
  take(size: PixelSize | null, bytesOf: (size: PixelSize) => number): () => void {
    const found = size === null ? "no size" : `${size.width} x ${size.height}`;
    if (size === null || size.width * size.height > MAX_PICTURE_PIXELS) {
      throw new TypeError(
        `found ${found}, expected a PNG, JPEG, WebP or HDR of at most ${MAX_PICTURE_PIXELS} pixels`,
      );
    }
    let taken = bytesOf(size);
    if (this.#bytes + taken > MAX_PICTURE_BYTES) {
      throw new TypeError(
        `found ${found}, and all pictures take more than ${
          MAX_PICTURE_BYTES >> 20
        } MB of memory: make it or others smaller`,
      );
    }
    this.#bytes += taken;
    return () => {
      this.#bytes -= taken;
      taken = 0;
    };
  }
}
