export { type Change, inverse, subjectOf, type TreePosition } from "./change.ts";
export { EntityDocument, type EntitySeed, MAX_ENTITIES } from "./document.ts";
export { mergeEntities } from "./merge-entities.ts";
export {
  flattened,
  MAX_PREFAB_BYTES,
  MAX_PREFAB_DEPTH,
  parsePrefab,
  type PrefabNode,
  serializePrefab,
} from "./prefab-file.ts";
export {
  type EntityRules,
  MAX_NAME_LENGTH,
  MAX_SCENE_BYTES,
  parseScene,
  type Scene,
  type SceneFailure,
  sceneParsing,
  sceneWriting,
  serializeScene,
} from "./scene-file.ts";
export {
  type FoundPlace,
  type WorldPlace,
  worldPlaces,
  worldPlacesWork,
  worldTransform,
} from "./transforms.ts";
export { Snapshot } from "./snapshot.ts";
export type { World } from "./world.ts";
