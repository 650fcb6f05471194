import { sizeText } from "../../core/sizes.ts";
import {
  flatBytes,
  MAX_PICTURE_BYTES,
  MAX_PICTURE_PIXELS,
  MAX_SCENE_PICTURE_BYTES,
  panoramaBytes,
  textureBytes,
} from "../../game/assets/mod.ts";
import type { Asset } from "../ports/mod.ts";

/** A picture that a scene shows. */
export interface ScenePicture {
  readonly path: string;
  readonly pixels: { readonly width: number; readonly height: number };
  /** Graphics memory that it takes, in bytes. */
  readonly bytes: number;
}

/** The assets of a project, and which of them name others. */
export interface PictureSource {
  /** Assets by their guids. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** Guids that an asset's file names. */
  readonly namedBy: (guid: string) => Iterable<string>;
}

/** Pictures that a sentence names. */
const MAX_NAMED = 3;

/** Use of a picture: without mipmaps in memory if it is on the 2D or UI layer. */
type Use = "flat" | "texture" | "sky";

/** Kinds of assets that the 2D and UI layers draw; entities of a scene name them by `Sprite`. */
const FLAT_TYPES: readonly Asset["type"][] = ["sprite", "texture", "font", "prefab"];

/**
 * Returns the pictures visible in a scene, the heaviest first. Other scenes are not followed, and
 * pictures inside a model are not known here. A picture used in several ways is in memory once for
 * each.
 *
 * @param named The guids that the scene's entities reference.
 */
export function scenePictures(
  named: Iterable<string>,
  { assets, namedBy }: PictureSource,
): readonly ScenePicture[] {
  const pictures: ScenePicture[] = [];
  const known = new Set<string>();
  const waiting: { readonly guid: string; readonly through: Use }[] = [...named]
    .map((guid) => ({ guid, through: "flat" }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { guid } = next;
    const asset = assets.get(guid);
    if (asset === undefined || asset.type === "scene") continue;
    const use = useOf(asset, next.through);
    if (known.has(`${guid} ${use}`)) continue;
    known.add(`${guid} ${use}`);
    const { path, pixels } = asset;
    if (pixels !== undefined) pictures.push({ path, pixels, bytes: bytesOf(path, pixels, use) });
    for (const other of namedBy(guid)) waiting.push({ guid: other, through: use });
  }
  return pictures.toSorted((a, b) => b.bytes - a.bytes);
}

function useOf({ type }: Asset, through: Use): Use {
  if (through === "sky" || type === "environment") return "sky";
  return FLAT_TYPES.includes(type) ? through : "texture";
}

function bytesOf(path: string, pixels: ScenePicture["pixels"], use: Use): number {
  switch (use) {
    case "flat":
      return flatBytes(pixels);
    case "texture":
      return textureBytes(pixels);
    case "sky":
      return panoramaBytes(pixels, /\.hdr$/i.test(path) ? 8 : 4);
  }
}

/** A problem with the pictures of a scene. */
export interface PictureTrouble {
  /** Whether the game leaves some of them out, regardless of earlier scenes. */
  readonly isLeftOut: boolean;
  /** A sentence, without its end. */
  readonly text: string;
}

/** Checks the pictures of a scene, ordered heaviest first; `null` if all fit (HOUSE-6). */
export function pictureTrouble(pictures: readonly ScenePicture[]): PictureTrouble | null {
  const tooLarge = pictures.filter(({ pixels }) =>
    pixels.width * pixels.height > MAX_PICTURE_PIXELS
  );
  if (tooLarge.length > 0) {
    const text = `these pictures have more than ${MAX_PICTURE_PIXELS} pixels: ${named(tooLarge)}`;
    return { isLeftOut: true, text };
  }
  const bytes = pictures.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes <= MAX_SCENE_PICTURE_BYTES) return null;
  const text = `its pictures take ${sizeText(bytes)} of graphics memory, expected at most ` +
    `${sizeText(MAX_SCENE_PICTURE_BYTES)}: ${named(pictures)}`;
  return { isLeftOut: bytes > MAX_PICTURE_BYTES, text };
}

function named(pictures: readonly ScenePicture[]): string {
  const few = pictures.slice(0, MAX_NAMED).map(({ path, pixels, bytes }) =>
    `"${path}" (${pixels.width} × ${pixels.height}, ${sizeText(bytes)})`
  );
  const more = pictures.length - few.length;
  return `${few.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
