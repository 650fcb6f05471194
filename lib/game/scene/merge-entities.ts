import type { Entity } from "../types/mod.ts";

/**
 * Entities in document order after a change: those that are changed take the place of what they were,
 * and each new one stands last below its parent.
 *
 * @param changed New or changed, every parent before its children. An entity keeps its parent.
 * @param removed Ids; what is below them is named too.
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

/** Every parent right before its descendants, siblings in the order in which they are given. */
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
