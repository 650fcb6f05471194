import { ImageBitmapLoader } from "three";
import { messageOf } from "../../core/result.ts";
import { AS_THEY_ARE, decodeImage, MAX_PIXELS } from "../content/mod.ts";

/** The most pixels of all pictures of a model together: 1 GB in memory. */
const MAX_ALL = 4 * MAX_PIXELS;

/**
 * What loads the pictures of a model, wherever they lie: one after another, within the bounds of pictures.
 *
 * @param path The model's file, for telling of a picture that is left out.
 * @param addressOf The address of what the model names; throws where it may not be loaded.
 */
export function modelImages(
  path: string,
  addressOf: (name: string) => string,
): ImageBitmapLoader {
  let last: Promise<unknown> = Promise.resolve();
  let pixels = 0;
  const decode = async (name: string) => {
    if (pixels > MAX_ALL) throw new TypeError("the others have too many pixels");
    const bytes = await (await fetch(addressOf(name))).arrayBuffer();
    const image = await decodeImage(new Uint8Array(bytes), AS_THEY_ARE);
    pixels += image.width * image.height;
    return image;
  };
  const loader = new ImageBitmapLoader();
  loader.load = (name, onLoad, _onProgress, onError) => {
    const turn = last.then(() => decode(name));
    last = turn.then(onLoad, (thrown) => {
      console.warn(`Model "${path}" lacks a picture: ${messageOf(thrown)}`);
      onError?.(thrown);
    });
  };
  return loader;
}
