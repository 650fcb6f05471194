import type { AssetType } from "../types/mod.ts";

/** Every type of asset (SCENE-6). */
export const ASSET_TYPES: readonly AssetType[] = [
  "font",
  "mesh",
  "texture",
  "material",
  "particle",
  "prefab",
  "scene",
  "model",
  "animation",
  "environment",
  "sprite",
  "animset",
  "audio",
  "script",
  "timeline",
];
