import type { Entity, SceneState } from "../../editor/ports/mod.ts";
import { pageOf } from "../answer/lists.ts";

/** Default number of entities in an index. */
export const INDEX_LIMIT = 200;

/** Returns the row of an entity: its identity, and its traits as names or values. */
function entityRow(
  { id, guid, name, parentId, layer }: Entity,
  traits: readonly string[] | object,
): object {
  return { id, guid, name, parentId, layer, traits };
}

/** Returns a scene as the default answer shows it: names of traits, no values (SCENE-1). */
export function sceneIndex({ scenePath, entities }: SceneState): object {
  const { shown, cut } = pageOf(entities, { limit: INDEX_LIMIT });
  return {
    scenePath,
    entityCount: entities.length,
    ...cut,
    entities: shown.map((entity) => entityRow(entity, Object.keys(entity.traits))),
  };
}
