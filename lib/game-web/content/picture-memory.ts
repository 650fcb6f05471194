import { imageSize, type PixelSize } from "../../core/image-size.ts";
import { MAX_PICTURE_BYTES, MAX_PICTURE_PIXELS } from "../../game/assets/mod.ts";

/** Decodes the numbers of a texture as they are. */
export const RAW_PIXELS: ImageBitmapOptions = {
  premultiplyAlpha: "none",
  colorSpaceConversion: "none",
};

/** A decoded image. */
export interface HeldImage {
  readonly image: ImageBitmap;
  /** Closes it, and gives its memory back. */
  readonly free: () => void;
}

/**
 * The memory budget of all pictures of a game: a picture that does not fit is not decoded
 * (HOUSE-6).
 */
export class PictureMemory {
  #bytes = 0;

  /**
   * Decodes an image of the game.
   *
   * @param bytesOf Returns its memory, depending on its use.
   * @throws {TypeError} As {@linkcode take}, and if it cannot be decoded.
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
   * Reserves memory for a picture.
   *
   * @param size `null` if its header does not state it: formats that only the browser knows reveal
   * it after decoding.
   * @returns Releases the memory, once.
   * @throws {TypeError} Without a size, if it is larger than any screen needs, or if it does not
   * fit the budget.
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
