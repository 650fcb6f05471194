import { z } from "zod";
import { eachOf, type Work } from "../../core/cooperative.ts";
import { own } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type {
  Entity,
  Rect,
  SceneEditing,
  SceneState,
  TraitSchema,
  WorldTransform,
} from "../../editor/ports/mod.ts";
import { COMPACT_ROW, compactGroups } from "../answer/compact-index.ts";
import { resolveEntity } from "../scene/entities.ts";
import { pageOf } from "../answer/lists.ts";
import { atOneRevision } from "../scene/one-revision.ts";
import { type AskedField, noSuchFields } from "../scene/no-such-fields.ts";
import { after, flag, limit, precision, text, wholeNumber } from "../declaration/parameters.ts";
import { INDEX_LIMIT } from "../scene/scene-index.ts";
import { defineTool, READ_ONLY, type Tool } from "../declaration/tool.ts";
import { SCENE_EDIT_TOOLS } from "./scene-edit.ts";
import { SCENE_FILE_TOOLS } from "./scene-files.ts";
import { matchesWhere, parseWhere, type Where } from "../scene/where.ts";

const INDEX_HINT =
  "Index only: full=1, trait=, id=, guid=, name= or where= bring values; limit= more entries";

const parameters = z.object({
  full: flag("all values of all entities"),
  trait: text("entities with this trait, and its values only"),
  id: wholeNumber("the entity with this id", { min: 0 }),
  guid: text("the entity with this guid, or one that begins so"),
  name: text("entities whose name contains this, case ignored"),
  where: text("<Trait>.<field> <op> <number>, joined by and/or; ops < <= > >= == !="),
  compact: flag("index by layer and traits with short guids, a quarter of the tokens"),
  since: wholeNumber("changed after this rev", { min: 0 }),
  limit: limit(`${INDEX_LIMIT} for the index, all otherwise`),
  after: after(),
  world: flag("world position, rotation (degrees), scale"),
  bounds: flag("screen rectangle"),
  precision: precision(),
});

type Arguments = z.output<typeof parameters>;

/** Everything from which a scene-state answer is made. */
interface SceneDump {
  readonly scene: SceneState;
  readonly where: Where | null;
  /** Changes for `since`; everything if the changes are unknown. */
  readonly changed: ReturnType<SceneEditing["changedSince"]> | null;
  /** Read only if a trait is named, to answer a misspelled one. */
  readonly traits: readonly TraitSchema[];
  readonly world: ReadonlyMap<number, WorldTransform> | null;
  readonly rects: ReadonlyMap<number, Rect | null> | null;
}

/** `svc_get_scene_state` (SCENE-3). */
export const getSceneState: Tool = defineTool({
  name: "svc_get_scene_state",
  route: "/api/scene-state",
  purpose: "Entities of the open scene (hierarchy, find, inspect)",
  defaultShape: `index of ${INDEX_LIMIT} entities: id, guid, name, parentId, layer, trait names`,
  parameters,
  drillDown: {
    trait: "that trait's values",
    id: "one",
    guid: "one",
    name: "substring",
    where: "Health.hp < 10 and Transform.x >= 0 (or, <= > == !=)",
    full: "all values",
    compact: "short index",
    precision: "0 exact",
  },
  sizeWarning: "full=1; narrow it, or limit=",
  annotations: READ_ONLY,
  // A search with too many hits can be continued; a dump of everything should be narrowed.
  fills: ({ compact, trait, name, where, since }) =>
    compact !== true && [trait, name, where, since].some((filter) => filter !== undefined)
      ? "entities"
      : null,

  async produce({ editor }, args, { signal }) {
    const clash = args.compact && (["full", "world", "bounds"] as const).find((name) => args[name]);
    if (clash) {
      return refuse(
        400,
        "bad-argument",
        `Cannot call svc_get_scene_state: found compact=1 beside ${clash}=1, expected one of them`,
        "A compact index has no values: call once for each",
      );
    }
    const where = args.where === undefined ? null : parseWhere(args.where);
    if (where !== null && !where.ok) return where;
    const namesTrait = args.trait !== undefined || where !== null;
    const traits = namesTrait ? await editor.traits() : [];
    const { scene, value: [world, layout] } = args.world || args.bounds
      ? await atOneRevision(editor, () =>
        Promise.all([
          args.world ? editor.worldTransforms({ signal }) : null,
          args.bounds ? editor.layoutBounds({ signal }) : null,
        ]))
      : { scene: await editor.sceneState(), value: [null, null] };
    const rects = layout && new Map(layout.entries.map(({ id, rect }) => [id, rect]));
    const changed = args.since === undefined
      ? null
      : editor.editing?.changedSince(args.since) ?? { known: false, ids: [] };
    return ok({ scene, where: where?.value ?? null, changed, traits, world, rects });
  },

  *summarize(dump, args): Work<Result<object, Problem>> {
    const { scene: { scenePath, rev, entities, playing }, changed } = dump;
    const guid = named(entities, args);
    if (!guid.ok) return guid;
    const filters = filtersOf({ ...args, guid: guid.value }, dump);
    // A revision that is too old is answered like a first call: with everything.
    const targeted = args.full === true || filters.length > 0;
    const matched = filters.length === 0 ? entities : yield* fitting(entities, filters);
    const { shown, cut } = pageOf(matched, {
      limit: args.limit ?? (targeted && !args.compact ? Infinity : INDEX_LIMIT),
      after: args.after,
    });
    const hint = changed?.known === false
      ? `Changes after ${args.since} are unknown: all entities follow`
      : targeted
      ? noSuchFields(fieldsAsked(dump, args), dump.traits, entities)
      : args.compact
      ? null
      // The index has only the specified members; the hint contains its revision.
      : `${INDEX_HINT}; this is rev ${rev} for since= and if_rev=`;
    const counts = {
      scenePath,
      ...(playing === true && { playing }),
      ...((targeted || args.compact || changed !== null) && { rev }),
      entityCount: entities.length,
      ...(filters.length > 0 && { matched: matched.length }),
      ...(changed?.known === true && { removed: removedOf(changed.ids, entities) }),
      ...cut,
    };
    if (args.compact) {
      const groups = yield* compactGroups(shown, entities);
      return ok({ ...counts, row: COMPACT_ROW, groups, ...(hint !== null && { hint }) });
    }
    const rows: object[] = [];
    yield* eachOf(shown, ({ id, guid, name, parentId, layer, traits }) => {
      // Undefined members are not written.
      rows.push({
        id,
        guid,
        name,
        parentId,
        layer,
        traits: targeted ? valuesOf(traits, args) : Object.keys(traits),
        world: dump.world?.get(id),
        rect: dump.rects === null ? undefined : dump.rects.get(id) ?? null,
      });
    });
    return ok({ ...counts, entities: rows, ...(hint !== null && { hint }) });
  },
});

/**
 * Resolves `id=` and `guid=`, which name one entity: a missing one is an error, unlike a search
 * without hits.
 *
 * @returns The complete guid, if one was given.
 */
function named(
  entities: readonly Entity[],
  { id, guid }: Arguments,
): Result<string | undefined, Problem> {
  const byId = id === undefined ? null : resolveEntity(entities, { id });
  if (byId?.ok === false) return byId;
  const byGuid = guid === undefined ? null : resolveEntity(entities, { guid });
  return byGuid === null || !byGuid.ok ? byGuid ?? ok(undefined) : ok(byGuid.value.guid);
}

/** Yields the entities that match all conditions. */
function* fitting(
  entities: readonly Entity[],
  filters: readonly ((entity: Entity) => boolean)[],
): Work<readonly Entity[]> {
  const found: Entity[] = [];
  yield* eachOf(entities, (entity) => {
    if (filters.every((fits) => fits(entity))) found.push(entity);
  });
  return found;
}

/** Returns the ids that no longer exist. */
function removedOf(ids: readonly number[], entities: readonly Entity[]): readonly number[] {
  const there = new Set(entities.map(({ id }) => id));
  return ids.filter((id) => !there.has(id));
}

/** Returns the fields that a search uses. */
function fieldsAsked(
  { where }: Pick<SceneDump, "where">,
  { trait }: Arguments,
): readonly AskedField[] {
  const conditions = (where ?? []).flat();
  return trait === undefined ? conditions : [{ trait, field: null }, ...conditions];
}

/** Returns the conditions of a search, all of which an entity must match. */
function filtersOf(
  { id, guid, name, trait }: Arguments,
  { where, changed }: Pick<SceneDump, "where" | "changed">,
): readonly ((entity: Entity) => boolean)[] {
  const filters: ((entity: Entity) => boolean)[] = [];
  if (id !== undefined) filters.push((entity) => entity.id === id);
  if (guid !== undefined) filters.push((entity) => entity.guid === guid);
  if (name !== undefined) {
    const needle = name.toLowerCase();
    filters.push((entity) => entity.name.toLowerCase().includes(needle));
  }
  if (trait !== undefined) filters.push((entity) => own(entity.traits, trait) !== undefined);
  if (where !== null) filters.push((entity) => matchesWhere(where, entity));
  if (changed?.known === true) {
    const ids = new Set(changed.ids);
    filters.push((entity) => ids.has(entity.id));
  }
  return filters;
}

function valuesOf(
  traits: Entity["traits"],
  { trait, full }: Arguments,
): object {
  if (trait === undefined || full) return traits;
  return Object.fromEntries([[trait, own(traits, trait)]]);
}

export const SCENE_TOOLS: readonly Tool[] = [
  getSceneState,
  ...SCENE_EDIT_TOOLS,
  ...SCENE_FILE_TOOLS,
];
