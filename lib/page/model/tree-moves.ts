import type { EditOp, Entity } from "../../editor/ports/mod.ts";
import { topmost } from "./actions.ts";
import { view } from "./editor.ts";
import { byId, childrenOf, scene } from "./scene.ts";

/** A place in the tree: below an entity as its last child, or before or behind it. */
export interface TreePlace {
  readonly id: number;
  readonly place: "in" | "before" | "after";
}

/**
 * Where an arrow key takes what is selected: past a sibling, into the one above, or out behind its parent.
 *
 * @returns `null` where there is none.
 */
export function placeBeyond(arrow: string): TreePlace | null {
  const moved = selectedInOrder();
  const [first] = moved;
  const parentId = byId.value.get(first ?? 0)?.parentId ?? null;
  const siblings = childrenOf.value.get(parentId) ?? [];
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

/** What is selected, as the tree has it; without what lies below another of it. */
function selectedInOrder(): readonly number[] {
  const selected = new Set(topmost(view.value.selection));
  return scene.value.entities.filter(({ id }) => selected.has(id)).map(({ id }) => id);
}

/** The moves to a place, one beside the other in the tree's order; each stays where it is in the world. */
export function movesTo({ id, place }: TreePlace): readonly EditOp[] {
  const moved = selectedInOrder();
  const target = byId.value.get(id);
  if (target === undefined || moved.includes(id)) return [];
  const parentId = place === "in" ? id : target.parentId;
  let siblings = (childrenOf.value.get(parentId) ?? []).map((one) => one.id);
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
