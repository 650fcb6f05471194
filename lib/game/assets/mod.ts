export { ASSET_TYPES } from "./asset-types.ts";
export { type Clip, readClip, readTimeline, type TimelinePlan } from "./clips.ts";
export type { AssetDetail, AssetDetails } from "./details.ts";
export { advanceOf, BUILT_IN_FONT, type FontMetrics, parseFont, textLines } from "./font.ts";
export {
  DEFAULT_VIEWPORT,
  GAME_FILE,
  type GameAsset,
  type GameFile,
  MAX_GAME_BYTES,
  parseGameFile,
  serializeGameFile,
} from "./game-file.ts";
export { namedPath } from "./named-path.ts";
export {
  flatBytes,
  MAX_PICTURE_BYTES,
  MAX_PICTURE_PIXELS,
  MAX_SCENE_PICTURE_BYTES,
  panoramaBytes,
  textureBytes,
} from "./picture-bytes.ts";
export { renderableBounds } from "./renderable-bounds.ts";
