import { ImageBitmapLoader } from "three";
import { messageOf } from "../../core/result.ts";
import { textureBytes } from "../../game/assets/mod.ts";
import { RAW_PIXELS, type WebContent } from "../content/mod.ts";

/** The pictures of a model. */
export interface ModelImages {
  readonly loader: ImageBitmapLoader;
  /** Closes all of them, even those still loading. */
  readonly free: () => void;
}

/**
 * Creates the loader of a model's pictures, embedded or not: one after another, within the picture
 * budget.
 *
 * @param path The model's file, for messages about an omitted picture.
 * @param addressOf Returns the address of a referenced file; throws if it may not be loaded.
 */
export function modelImages(
  { pictures }: Pick<WebContent, "pictures">,
  path: string,
  addressOf: (name: string) => string,
): ModelImages {
  let last: Promise<unknown> = Promise.resolve();
  const images = { loader: new ImageBitmapLoader(), free() {} };
  const freed = new Promise<void>((go) => images.free = go);
  const decode = async (name: string) => {
    const bytes = await (await fetch(addressOf(name))).arrayBuffer();
    const held = await pictures.decode(new Uint8Array(bytes), textureBytes, RAW_PIXELS);
    void freed.then(held.free);
    return held.image;
  };
  images.loader.load = (name, onLoad, _onProgress, onError) => {
    const turn = last.then(() => decode(name));
    last = turn.then(onLoad, (thrown) => {
      console.warn(`Model "${path}" lacks a picture: ${messageOf(thrown)}`);
      onError?.(thrown);
    });
  };
  return images;
}
