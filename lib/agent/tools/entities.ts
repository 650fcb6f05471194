import { z } from "zod";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { EditOp, Entity, TraitFields, TraitValues } from "../../editor/ports/mod.ts";
import {
  ADDS,
  EDIT_PARAMETERS,
  editAnswer,
  editEntity,
  EDITS,
  runEdit,
  SETS,
  toParentId,
} from "../scene/edits.ts";
import { fieldsOf, NO_FIELDS } from "../scene/edit-request.ts";
import { EntityIndex, resolveEntity } from "../scene/entities.ts";
import {
  choice,
  flag,
  ids,
  jsonObject,
  numbers,
  text,
  texts,
  wholeNumber,
} from "../declaration/parameters.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, type Tool } from "../declaration/tool.ts";

const LAYERS = ["3d", "2d", "ui"] as const;

/** The entity that a tool works on. */
const ENTITY = {
  id: wholeNumber("the entity", { min: 0 }),
  guid: text("the entity; 4 or more digits will do"),
};
const PARENT = wholeNumber("0 is the top", { min: 0 });

/** Size warning of tools that affect all descendants of an entity. */
const MANY = "echo=1 of many";

/** `create_entity`. */
const createEntity: Tool = defineTool({
  name: "create_entity",
  route: "/api/create-entity",
  routeKind: "body",
  purpose: "Adds an entity to the scene",
  defaultShape: "id, guid, rev, undo; needs name=",
  parameters: z.object({
    name: text("its name"),
    parentId: PARENT,
    layer: choice(LAYERS, "the parent's when absent, else 3d"),
    traits: jsonObject("{Trait:{field:value}}; defaults fill the rest"),
    ...EDIT_PARAMETERS,
  }),
  drillDown: { traits: "{Trait:{field:value}}" },
  annotations: ADDS,
  undoable: true,

  async produce(services, args) {
    const { name, layer } = args;
    if (name === undefined) return refuseMissing("create_entity", "name", 'name="Crate"');
    const traits = traitsIn("create_entity", args.traits ?? {});
    if (!traits.ok) return traits;
    return await runEdit(services, args, () =>
      ok([{
        op: "create",
        name,
        ...toParentId(args.parentId),
        ...(layer !== undefined && { layer }),
        traits: traits.value,
      }]));
  },
  summarize: editAnswer,
});

function traitsIn(tool: string, traits: JsonObject): Result<TraitValues, Problem> {
  const values: [string, TraitFields][] = [];
  for (const [trait, fields] of Object.entries(traits)) {
    if (!isJsonObject(fields)) {
      const detail = `Cannot call ${tool}: traits.${trait.slice(0, 80)} is not an object of fields`;
      return refuse(400, "bad-argument", detail, 'Write {"Transform":{"x":1}}');
    }
    values.push([trait, fieldsOf(fields)]);
  }
  return ok(Object.fromEntries(values));
}

/** `duplicate_entity`. */
const duplicateEntity: Tool = defineTool({
  name: "duplicate_entity",
  route: "/api/duplicate-entity",
  routeKind: "body",
  purpose: "Copies an entity with all below it",
  defaultShape: "ids and guids of the copies, rev, undo",
  parameters: z.object({ ...ENTITY, name: text("the copy's name"), ...EDIT_PARAMETERS }),
  drillDown: {},
  sizeWarning: MANY,
  annotations: ADDS,
  undoable: true,

  produce: (services, args) =>
    editEntity(services, args, ({ id }) => ({
      op: "duplicate",
      id,
      ...(args.name !== undefined && { name: args.name }),
    })),
  summarize: editAnswer,
});

/** `delete_entities`. */
const deleteEntities: Tool = defineTool({
  name: "delete_entities",
  route: "/api/delete-entities",
  routeKind: "body",
  purpose: "Removes entities with all below them",
  defaultShape: "how many, rev, undo; needs ids= or guids=",
  parameters: z.object({
    ids: ids("entities to remove"),
    guids: texts("entities to remove"),
    ...EDIT_PARAMETERS,
  }),
  drillDown: {},
  sizeWarning: MANY,
  annotations: EDITS,
  undoable: true,

  async produce(services, args) {
    const { ids = [], guids = [] } = args;
    if (ids.length + guids.length === 0) {
      return refuseMissing("delete_entities", "ids", "ids=[12,13], or guids=");
    }
    return await runEdit(services, args, (entities) => {
      const chosen = resolveAll(entities, { ids, guids });
      return chosen.ok ? ok(deletesOf(chosen.value, entities)) : chosen;
    });
  },

  // Counts all removed entities, not the operations that removed them.
  summarize: (outcome, args) => editAnswer({ ...outcome, changed: outcome.before.length }, args),
});

/**
 * Returns the deletions of entities that no other one removes with it, last first, so that later
 * siblings need not move.
 */
function deletesOf(
  chosen: ReadonlySet<number>,
  entities: readonly Entity[],
): readonly EditOp[] {
  const parents = new Map(entities.map(({ id, parentId }) => [id, parentId]));
  const isTaken = (id: number) => {
    for (let at = parents.get(id) ?? null; at !== null; at = parents.get(at) ?? null) {
      if (chosen.has(at)) return true;
    }
    return false;
  };
  return entities.filter(({ id }) => chosen.has(id) && !isTaken(id))
    .map(({ id }): EditOp => ({ op: "delete", id })).reverse();
}

function resolveAll(
  entities: readonly Entity[],
  { ids, guids }: { readonly ids: readonly number[]; readonly guids: readonly string[] },
): Result<ReadonlySet<number>, Problem> {
  const index = new EntityIndex(entities);
  const found = new Set<number>();
  for (const name of [...ids.map((id) => ({ id })), ...guids.map((guid) => ({ guid }))]) {
    const entity = resolveEntity(index, name);
    if (!entity.ok) return entity;
    found.add(entity.value.id);
  }
  return ok(found);
}

/** `reparent_entity`. */
const reparentEntity: Tool = defineTool({
  name: "reparent_entity",
  route: "/api/reparent-entity",
  routeKind: "body",
  purpose: "Moves an entity below another parent, or among its siblings",
  defaultShape: "rev, undo; needs parentId=",
  parameters: z.object({
    ...ENTITY,
    parentId: PARENT,
    index: wholeNumber("place among the siblings; the last when absent", { min: 0 }),
    keepWorld: flag("it keeps its world transform"),
    ...EDIT_PARAMETERS,
  }),
  drillDown: {
    index: "among siblings",
    keepWorld: "stays in place",
  },
  annotations: SETS,
  undoable: true,

  async produce(services, args) {
    const { index, keepWorld } = args;
    if (args.parentId === undefined) {
      return refuseMissing("reparent_entity", "parentId", "parentId=0 is the top");
    }
    return await editEntity(services, args, ({ id }) => ({
      op: "reparent",
      id,
      ...toParentId(args.parentId),
      ...(index !== undefined && { index }),
      ...(keepWorld !== undefined && { keepWorld }),
    }));
  },
  summarize: editAnswer,
});

/** `rename_entity`. */
const renameEntity: Tool = defineTool({
  name: "rename_entity",
  route: "/api/rename-entity",
  routeKind: "body",
  purpose: "Gives an entity another name",
  defaultShape: "rev, undo; needs name=",
  parameters: z.object({ ...ENTITY, name: text("the new name"), ...EDIT_PARAMETERS }),
  drillDown: {},
  annotations: SETS,
  undoable: true,

  async produce(services, args) {
    const { name } = args;
    if (name === undefined) return refuseMissing("rename_entity", "name", 'name="Crate"');
    return await editEntity(services, args, ({ id }) => ({ op: "rename", id, name }));
  },
  summarize: editAnswer,
});

/** `set_fields`. */
const setFields: Tool = defineTool({
  name: "set_fields",
  route: "/api/set-fields",
  routeKind: "body",
  purpose: "Sets fields of a trait of an entity; others stay",
  defaultShape: "rev, undo; needs trait= and fields=",
  parameters: z.object({
    ...ENTITY,
    trait: text("which trait"),
    fields: jsonObject("{field:value}"),
    ...EDIT_PARAMETERS,
  }),
  drillDown: { fields: "{field:value}" },
  annotations: SETS,
  undoable: true,

  async produce(services, args) {
    const { trait, fields } = args;
    if (trait === undefined) return refuseMissing("set_fields", "trait", "list_traits names them");
    if (fields === undefined) return refuseMissing("set_fields", "fields", 'fields={"x":1}');
    const set = fieldsOf(fields);
    if (Object.keys(set).length === 0) {
      return refuse(400, "no-fields", `Cannot call set_fields: ${NO_FIELDS}`, 'fields={"x":1}');
    }
    return await editEntity(services, args, ({ id }) => ({ op: "set", id, trait, fields: set }));
  },
  summarize: editAnswer,
});

/** `set_transform`. */
const setTransform: Tool = defineTool({
  name: "set_transform",
  route: "/api/set-transform",
  routeKind: "body",
  purpose: "Moves, rotates or scales an entity, relative to its parent",
  defaultShape: "rev, undo",
  parameters: z.object({
    ...ENTITY,
    position: numbers("x,y,z in m or px", { length: 3 }),
    rotation: numbers("x,y,z in degrees", { length: 3 }),
    scale: numbers("x,y,z", { length: 3 }),
    ...EDIT_PARAMETERS,
  }),
  drillDown: { position: "x,y,z in m or px", rotation: "degrees", scale: "x,y,z" },
  annotations: SETS,
  undoable: true,

  async produce(services, args) {
    const fields = {
      ...axes(args.position, ["x", "y", "z"]),
      ...axes(args.rotation, ["rx", "ry", "rz"]),
      ...axes(args.scale, ["sx", "sy", "sz"]),
    };
    if (Object.keys(fields).length === 0) {
      const hint = "position=[0,1,0], rotation= (degrees) or scale=";
      return refuseMissing("set_transform", "position", hint);
    }
    return await editEntity(services, args, ({ id }) => ({
      op: "set",
      id,
      trait: "Transform",
      fields,
    }));
  },
  summarize: editAnswer,
});

function axes(
  values: readonly number[] | undefined,
  names: readonly string[],
): Readonly<Record<string, number>> {
  return Object.fromEntries((values ?? []).map((value, axis) => [names[axis] ?? "", value]));
}

/** `add_trait`. */
const addTrait: Tool = defineTool({
  name: "add_trait",
  route: "/api/add-trait",
  routeKind: "body",
  purpose: "Gives an entity a trait (component)",
  defaultShape: "rev, undo; needs trait=",
  parameters: z.object({
    ...ENTITY,
    trait: text("which trait"),
    fields: jsonObject("{field:value}; defaults fill the rest"),
    ...EDIT_PARAMETERS,
  }),
  drillDown: { fields: "{field:value}" },
  annotations: ADDS,
  undoable: true,

  async produce(services, args) {
    const { trait, fields } = args;
    if (trait === undefined) return refuseMissing("add_trait", "trait", "list_traits names them");
    return await editEntity(services, args, ({ id }) => ({
      op: "addTrait",
      id,
      trait,
      ...(fields !== undefined && { fields: fieldsOf(fields) }),
    }));
  },
  summarize: editAnswer,
});

/** `remove_trait`. */
const removeTrait: Tool = defineTool({
  name: "remove_trait",
  route: "/api/remove-trait",
  routeKind: "body",
  purpose: "Takes a trait (component) off an entity",
  defaultShape: "rev, undo; needs trait=",
  parameters: z.object({ ...ENTITY, trait: text("which trait"), ...EDIT_PARAMETERS }),
  drillDown: {},
  annotations: EDITS,
  undoable: true,

  async produce(services, args) {
    const { trait } = args;
    if (trait === undefined) {
      return refuseMissing("remove_trait", "trait", "svc_get_scene_state id= names its traits");
    }
    return await editEntity(services, args, ({ id }) => ({ op: "removeTrait", id, trait }));
  },
  summarize: editAnswer,
});

/** The tools that edit entities. */
export const ENTITY_EDIT_TOOLS: readonly Tool[] = [
  createEntity,
  duplicateEntity,
  deleteEntities,
  reparentEntity,
  renameEntity,
  setFields,
  setTransform,
  addTrait,
  removeTrait,
];
