import type { Entity } from "../types/mod.ts";

/**
 * Returns entities in document order after a change: changed ones in their places, each new one as
 * its parent's last child.
 *
 * @param changed New or changed entities, parents before their children. An entity keeps its
 * parent.
 * @param removed Ids, including those of descendants.
 */
export function mergeEntities(
  entities: readonly Entity[],
  changed: readonly Entity[],
  removed: readonly number[],
): readonly Entity[] {
  const gone = new Set(removed);
  const values = new Map(changed.map((entity) => [entity.id, entity]));
  const merged: Entity[] = [];
  for (const entity of entities) {
    if (gone.has(entity.id)) continue;
    merged.push(values.get(entity.id) ?? entity);
    values.delete(entity.id);
  }
  if (values.size === 0) return merged;
  return inDocumentOrder([...merged, ...values.values()]);
}

/** Sorts entities: each parent right before its descendants, siblings in the given order. */
function inDocumentOrder(entities: readonly Entity[]): readonly Entity[] {
  const children = new Map<number | null, Entity[]>();
  for (const entity of entities) {
    const siblings = children.get(entity.parentId);
    if (siblings === undefined) children.set(entity.parentId, [entity]);
    else siblings.push(entity);
  }
  const ordered: Entity[] = [];
  const stack = [...children.get(null) ?? []].reverse();
  for (let entity = stack.pop(); entity !== undefined; entity = stack.pop()) {
    ordered.push(entity);
    const below = children.get(entity.id) ?? [];
    for (let i = below.length - 1; i >= 0; i--) {
      const child = below[i];
      if (child !== undefined) stack.push(child);
    }
  }
  return ordered;
}
