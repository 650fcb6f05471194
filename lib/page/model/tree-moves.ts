import type { EditOp, Entity } from "../../editor/ports/mod.ts";
import { topmost } from "./actions.ts";
import { view } from "./editor.ts";
import { byId, childrenByParent, scene } from "./scene.ts";

/** A place in the tree: below an entity as its last child, or before or behind it. */
export interface TreePlace {
  readonly id: number;
  readonly place: "in" | "before" | "after";
}

/**
 * Returns where an arrow key moves the selection: past a sibling, into the previous one, or out
 * behind its parent.
 *
 * @returns `null` if there is no such place.
 */
export function placeBeyond(arrow: string): TreePlace | null {
  const moved = selectedInOrder();
  const [first] = moved;
  const parentId = byId.value.get(first ?? 0)?.parentId ?? null;
  const siblings = childrenByParent.value.get(parentId) ?? [];
  const at = siblings.findIndex(({ id }) => id === first);
  const others = (from: readonly Entity[]) => from.find(({ id }) => !moved.includes(id))?.id;
  const before = others(siblings.slice(0, Math.max(0, at)).toReversed());
  const after = others(siblings.slice(at + 1));
  const to = (id: number | null | undefined, place: TreePlace["place"]) =>
    typeof id === "number" ? { id, place } : null;
  switch (arrow) {
    case "ArrowUp":
      return to(before, "before");
    case "ArrowDown":
      return to(after, "after");
    case "ArrowRight":
      return to(before, "in");
    case "ArrowLeft":
      return to(parentId, "after");
    default:
      return null;
  }
}

/** Returns the selection in tree order, without descendants of selected entities. */
function selectedInOrder(): readonly number[] {
  const selected = new Set(topmost(view.value.selection));
  return scene.value.entities.filter(({ id }) => selected.has(id)).map(({ id }) => id);
}

/**
 * Returns the moves of the selection to a place, in tree order; each entity keeps its world
 * transform.
 */
export function movesTo({ id, place }: TreePlace): readonly EditOp[] {
  const moved = selectedInOrder();
  const target = byId.value.get(id);
  if (target === undefined || moved.includes(id)) return [];
  const parentId = place === "in" ? id : target.parentId;
  let siblings = (childrenByParent.value.get(parentId) ?? []).map((one) => one.id);
  let index = 0;
  return moved.map((one, n) => {
    siblings = siblings.filter((sibling) => sibling !== one);
    index = n > 0
      ? siblings.indexOf(moved[n - 1] ?? id) + 1
      : siblings.indexOf(id) + (place === "after" ? 1 : 0);
    siblings = siblings.toSpliced(index, 0, one);
    const op = { op: "reparent", id: one, parentId, keepWorld: true } as const;
    return place === "in" ? op : { ...op, index };
  });
}
