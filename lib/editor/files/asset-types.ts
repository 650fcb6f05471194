import { own } from "../../core/json.ts";
import type { AssetType } from "../ports/mod.ts";

export { ASSET_TYPES } from "../../game/assets/mod.ts";

/** Types by the end of the file's name, in lower case. */
const TYPES_BY_ENDING: Readonly<Record<string, AssetType>> = {
  "font.json": "font",
  ttf: "font",
  otf: "font",
  woff2: "font",
  "mesh.json": "mesh",
  png: "texture",
  jpg: "texture",
  jpeg: "texture",
  webp: "texture",
  ktx2: "texture",
  "material.json": "material",
  "particle.json": "particle",
  "prefab.json": "prefab",
  "scene.json": "scene",
  glb: "model",
  gltf: "model",
  "anim.json": "animation",
  "env.json": "environment",
  hdr: "environment",
  "sprite.json": "sprite",
  "animset.json": "animset",
  wav: "audio",
  mp3: "audio",
  ogg: "audio",
  m4a: "audio",
  "timeline.json": "timeline",
  js: "script",
  ts: "script",
};

/** Returns an asset's name and the type in its file name, `undefined` for an unknown ending. */
export function readFileName(fileName: string): { name: string; type: AssetType | undefined } {
  for (let dot = fileName.indexOf(".", 1); dot > 0; dot = fileName.indexOf(".", dot + 1)) {
    const type = own(TYPES_BY_ENDING, fileName.slice(dot + 1).toLowerCase());
    if (type !== undefined) return { name: fileName.slice(0, dot), type };
  }
  const lastDot = fileName.lastIndexOf(".");
  return { name: lastDot > 0 ? fileName.slice(0, lastDot) : fileName, type: undefined };
}

const IMPORTED: readonly (AssetType | undefined)[] = [
  "model",
  "texture",
  "font",
  "audio",
  "environment",
];

/** The endings of files that can be imported, for people. */
export const IMPORTED_ENDINGS: string =
  ".glb, .gltf, .png, .jpg, .webp, .ktx2, .hdr, .ttf, .otf, .woff2, .wav, .mp3, .ogg or .m4a";

/** Returns whether a file of that name can be imported. */
export function isImported(fileName: string): boolean {
  return IMPORTED.includes(readFileName(fileName).type) && !fileName.endsWith(".json");
}
