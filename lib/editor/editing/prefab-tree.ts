import { eachOf, type Work } from "../../core/cooperative.ts";
import { freshGuid } from "../../core/guid.ts";
import { withoutInvisible } from "../../core/invisible.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Asset, EditOp, Entity, TraitFields } from "../ports/mod.ts";
import {
  type EntityDocument,
  flattened,
  MAX_PREFAB_DEPTH,
  type PrefabNode,
} from "../../game/scene/mod.ts";
import {
  PREFAB_INSTANCE,
  type Reference,
  type ReferenceFields,
  referenceFields,
  referencesOf,
  type TraitRegistry,
} from "../../game/traits/mod.ts";
import { remapped } from "./edit-ops.ts";

/** Instances that a warning names. */
const MAX_LISTED = 10;

/** The scene that prefabs are made of and put into. */
interface PrefabScene {
  readonly document: EntityDocument;
  readonly traits: TraitRegistry;
}

/** The tree as `create` operations, the parents first, under fresh guids. */
export function* createOps(
  scene: PrefabScene,
  root: PrefabNode,
  parentId: number | null,
): Work<{ readonly ops: readonly EditOp[]; readonly warnings: readonly string[] }> {
  const references = referenceFields(scene.traits.all());
  const flat = yield* flattened(root);
  const guids = new Map<string, string>();
  for (const { node } of flat) if (node.guid !== undefined) guids.set(node.guid, freshGuid());
  const warnings: string[] = [];
  const inside = new Set(guids.values());
  const ops: EditOp[] = [];
  yield* eachOf(flat, ({ node, parent }) => {
    const name = withoutInvisible(node.name).trim() || "Entity";
    const { layer } = node;
    const traits = remapped(node.traits, guids, references);
    const outside = cleared(scene, { name, traits }, { inside, references, warnings });
    const guid = node.guid === undefined ? freshGuid() : guids.get(node.guid);
    ops.push({
      op: "create",
      name,
      // The n-th create of a request makes -n.
      parentId: parent === null ? parentId : -1 - parent,
      layer,
      traits: outside,
      ...(guid !== undefined && { guid }),
    });
  });
  return { ops, warnings };
}

/** Returns traits without references to entities that the scene does not have. */
function cleared(
  { document }: PrefabScene,
  { name: entity, traits }: Pick<PrefabNode, "name" | "traits">,
  { inside, references, warnings }: {
    readonly inside: ReadonlySet<string>;
    readonly references: ReferenceFields;
    readonly warnings: string[];
  },
): Readonly<Record<string, TraitFields>> {
  const kept: Record<string, TraitFields> = { ...traits };
  const asEntity = { id: 0, guid: "", name: entity, parentId: null, layer: "3d", traits } as const;
  for (const { trait, name, schema, guid } of referencesOf([asEntity], references)) {
    if (schema.type !== "entity" || inside.has(guid) || document.byGuid(guid)) continue;
    kept[trait] = { ...kept[trait], [name]: "" };
    warnings.push(
      `"${entity}" ${trait}.${name} named an entity that is not here; it is empty now`,
    );
  }
  return kept;
}

/** An entity with all below it as a prefab holds it; references out of it are emptied. */
export function* prefabOf(
  { document, traits: registry }: PrefabScene,
  top: Entity,
): Work<Result<{ readonly root: PrefabNode; readonly warnings: string[] }, Problem>> {
  const references = referenceFields(registry.all());
  const entities = document.withDescendants(top.id);
  const tooDeep = whyTooDeep(top, entities);
  if (tooDeep !== null) return err(tooDeep);
  const inside = new Set(entities.map(({ guid }) => guid));
  const named = new Set<string>();
  const warnings: string[] = [];
  const emptied = new Map<number, Record<string, TraitFields>>();
  const note = ({ entity, trait, name, schema, guid }: Reference) => {
    if (schema.type !== "entity") return;
    if (inside.has(guid)) named.add(guid);
    else {
      const traits = emptied.get(entity.id) ?? { ...entity.traits };
      emptied.set(entity.id, { ...traits, [trait]: { ...traits[trait], [name]: "" } });
      warnings.push(
        `"${entity.name}" ${trait}.${name} names an entity outside; it is empty in the prefab`,
      );
    }
  };
  yield* eachOf(entities, (entity) => {
    for (const reference of referencesOf([entity], references)) note(reference);
  });
  const nodes = new Map<number, PrefabNode>();
  // Last first: an entity's children exist before the entity.
  yield* eachOf(entities.toReversed(), ({ id, guid, name, layer, traits }) => {
    const { [PREFAB_INSTANCE]: instance, ...rest } = emptied.get(id) ?? traits;
    const keepsInstance = id !== top.id && instance !== undefined;
    nodes.set(id, {
      ...(named.has(guid) && { guid }),
      name,
      layer,
      traits: keepsInstance ? { ...rest, [PREFAB_INSTANCE]: instance } : rest,
      children: document.childrenOf(id)
        .map((child) => nodes.get(child))
        .filter((child) => child !== undefined),
    });
  });
  const root = nodes.get(top.id);
  if (root === undefined) throw new TypeError(`Cannot find entity ${top.id} among its own`);
  return ok({ root, warnings });
}

/** Returns the refusal of a tree with too many levels for a prefab; `null` if it has fewer. */
function whyTooDeep(top: Entity, parentsFirst: readonly Entity[]): Problem | null {
  const levels = new Map<number | null, number>();
  for (const { id, parentId, name } of parentsFirst) {
    const level = id === top.id ? 1 : (levels.get(parentId) ?? 0) + 1;
    levels.set(id, level);
    if (level <= MAX_PREFAB_DEPTH) continue;
    return problem(
      422,
      "prefab-too-deep",
      `Cannot make a prefab of "${top.name}": "${name}" (id ${id}) is at level ${level} ` +
        `below it, expected at most ${MAX_PREFAB_DEPTH} levels`,
      "Make a prefab of a part of it, or reparent entities that are too deep",
    );
  }
  return null;
}

/**
 * Returns the other instances of a prefab, which keep their content: the author of a change learns
 * how many are unchanged.
 */
export function* otherInstances(
  { document }: PrefabScene,
  { guid, path }: Asset,
  made: Entity,
): Work<readonly string[]> {
  const others: Entity[] = [];
  yield* eachOf(document.entities(), (entity) => {
    const isInstance = entity.traits[PREFAB_INSTANCE]?.["prefab"] === guid;
    if (isInstance && entity.id !== made.id) others.push(entity);
  });
  if (others.length === 0) return [];
  const ids = others.slice(0, MAX_LISTED).map(({ id }) => id).join(", ");
  return [
    `Other instances of "${path}" are unchanged (${others.length}): ids ${ids}` +
    (others.length > MAX_LISTED ? " and more" : ""),
  ];
}
