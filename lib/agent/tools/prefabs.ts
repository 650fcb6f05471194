import { z } from "zod";
import type { Problem } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Entity } from "../../editor/ports/mod.ts";
import {
  ADDS,
  earlierReason,
  EDIT_PARAMETERS,
  editAnswer,
  type EditArguments,
  EDITS,
  toParentId,
} from "../scene/edits.ts";
import { type EntityName, resolveAsset, resolveEntity } from "../scene/entities.ts";
import { flag, numbers, text, wholeNumber } from "../declaration/parameters.ts";
import { editorPart } from "../declaration/parts.ts";
import { callerOf, type Services } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, type Tool } from "../declaration/tool.ts";

/** `instantiate_prefab`. */
const instantiatePrefab: Tool = defineTool({
  name: "instantiate_prefab",
  route: "/api/instantiate-prefab",
  routeKind: "body",
  purpose: "Puts an instance of a prefab into the scene",
  defaultShape: "ids and guids, rev, undo; needs prefab=",
  parameters: z.object({
    prefab: text("path or guid; list_assets type=prefab"),
    parentId: wholeNumber("0 is the top", { min: 0 }),
    name: text("the instance's name"),
    position: numbers("x,y,z", { length: 3 }),
    ...EDIT_PARAMETERS,
  }),
  drillDown: { prefab: "path or guid", position: "x,y,z" },
  sizeWarning: "echo=1 of many",
  annotations: ADDS,
  undoable: true,

  async produce(services, { prefab, parentId, name, position, ...rest }, { signal }) {
    const prefabs = editorPart(services, "prefabs");
    if (!prefabs.ok) return prefabs;
    if (prefab === undefined) {
      return refuseMissing("instantiate_prefab", "prefab", "list_assets type=prefab lists them");
    }
    const asset = resolveAsset(await services.editor.assets(), prefab);
    if (!asset.ok) return asset;
    const [x, y, z] = position ?? [];
    return await prefabs.value.instantiate({
      prefab: asset.value.path,
      ...askedBy(services, rest),
      ...toParentId(parentId),
      ...(name !== undefined && { name }),
      ...(x !== undefined && y !== undefined && z !== undefined && { transform: { x, y, z } }),
      signal,
    });
  },
  summarize: editAnswer,
});

const ENTITY = {
  id: wholeNumber("the entity", { min: 0 }),
  guid: text("the entity; 4 or more digits will do"),
};

/** `create_prefab`. */
const createPrefab: Tool = defineTool({
  name: "create_prefab",
  route: "/api/create-prefab",
  routeKind: "body",
  purpose: "Writes an entity with all below it as a prefab, and makes it an instance",
  defaultShape: "the asset's path and guid; needs path=",
  parameters: z.object({
    ...ENTITY,
    path: text("assets/….prefab.json"),
    overwrite: flag("that prefab; its guid and instances stay"),
    ...EDIT_PARAMETERS,
  }),
  drillDown: {},
  annotations: EDITS,
  undoable: true,

  async produce(services, args, { signal }) {
    const prefabs = editorPart(services, "prefabs");
    if (!prefabs.ok) return prefabs;
    const { path, overwrite = false } = args;
    if (path === undefined) {
      return refuseMissing("create_prefab", "path", "path=assets/prefabs/crate.prefab.json");
    }
    const entity = await entityToEdit(services, args);
    if (!entity.ok) return entity;
    const { id } = entity.value;
    return await prefabs.value.create({
      entity: { id },
      path,
      overwrite,
      signal,
      ...askedBy(services, args),
    });
  },

  summarize(outcome, args) {
    const answer = editAnswer(outcome, args);
    if (!answer.ok) return answer;
    const { path, guid, replaced } = outcome;
    return ok({ ...answer.value, path, guid, ...(replaced !== undefined && { replaced }) });
  },
});

/** `detach_prefab`. */
const detachPrefab: Tool = defineTool({
  name: "detach_prefab",
  route: "/api/detach-prefab",
  routeKind: "body",
  purpose: "Makes an instance of a prefab plain entities",
  defaultShape: "rev, undo; needs id= or guid=",
  parameters: z.object({ ...ENTITY, ...EDIT_PARAMETERS }),
  drillDown: {},
  annotations: EDITS,
  undoable: true,

  async produce(services, args) {
    const prefabs = editorPart(services, "prefabs");
    if (!prefabs.ok) return prefabs;
    const entity = await entityToEdit(services, args);
    if (!entity.ok) return entity;
    return await prefabs.value.detach({
      entity: { id: entity.value.id },
      ...askedBy(services, args),
    });
  },
  summarize: editAnswer,
});

/** Returns the entity that the arguments name, in a scene that can be edited. */
async function entityToEdit(
  { editor }: Services,
  args: EditArguments & EntityName,
): Promise<Result<Entity, Problem>> {
  const entity = resolveEntity((await editor.sceneState()).entities, args);
  if (entity.ok || editor.editing === undefined) return entity;
  return err(await earlierReason(editor.editing, args, entity.error));
}

/** Returns the caller, and the scene revision that the call expects. */
function askedBy(services: Services, { if_rev }: EditArguments) {
  return { source: callerOf(services), ...(if_rev !== undefined && { ifRev: if_rev }) } as const;
}

export const PREFAB_TOOLS: readonly Tool[] = [instantiatePrefab, createPrefab, detachPrefab];
