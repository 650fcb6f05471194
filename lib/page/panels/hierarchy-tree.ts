import { computed, effect, signal } from "@preact/signals";
import { Turns } from "../../core/turns.ts";
import type { Entity } from "../../editor/ports/mod.ts";
import {
  duplicateSelected,
  edit,
  removeSelected,
  select,
  selectionAfterDeselect,
  toggleSelected,
} from "../model/actions.ts";
import { placeAsset } from "../model/asset-actions.ts";
import { assetByName } from "../model/assets.ts";
import { isStopped, view } from "../model/editor.ts";
import { byId, childrenByParent, scene } from "../model/scene.ts";
import { movesTo, placeBeyond, type TreePlace } from "../model/tree-moves.ts";

// The tree of the open scene without its look: its rows, keys, selection and drags.

/** A row of the tree. */
export interface Row {
  readonly entity: Entity;
  readonly depth: number;
  readonly isOpen: boolean;
  readonly hasChildren: boolean;
}

export const query = signal("");
const closed = signal<ReadonlySet<number>>(new Set());
const moves = new Turns();

/** The visible rows, without collapsed ones; for a search, the matches as a flat list. */
export const rows = computed((): readonly Row[] => {
  const text = query.value.trim().toLowerCase();
  if (text !== "") {
    return scene.value.entities.filter((entity) => matchesQuery(entity, text)).map((entity) => ({
      entity,
      depth: 0,
      isOpen: false,
      hasChildren: false,
    }));
  }
  const found: Row[] = [];
  const left = (childrenByParent.value.get(null) ?? []).map((entity) => ({ entity, depth: 0 }))
    .toReversed();
  for (let next = left.pop(); next !== undefined; next = left.pop()) { // chains may be of any depth
    const { entity, depth } = next;
    const children = childrenByParent.value.get(entity.id);
    const isOpen = children !== undefined && !closed.value.has(entity.id);
    found.push({ entity, depth, isOpen, hasChildren: children !== undefined });
    if (!isOpen) continue;
    for (const child of children.toReversed()) left.push({ entity: child, depth: depth + 1 });
  }
  return found;
});

/**
 * Returns whether an entity matches a query: part of its name, `t:Trait`, or a prefix of its guid.
 */
function matchesQuery({ name, guid, traits }: Entity, text: string): boolean {
  if (text.startsWith("t:")) {
    const trait = text.slice(2).trim();
    return Object.keys(traits).some((one) => one.toLowerCase().includes(trait));
  }
  return name.toLowerCase().includes(text) || guid.startsWith(text);
}

/** The entity to scroll to: the primary selection, unless something was just deselected. */
const scrollTarget = signal<number | undefined>(undefined);

// Expands the parents of an entity selected anywhere, and scrolls to it.
effect(() => {
  const { selection } = view.value;
  const isLeft = String(selectionAfterDeselect.peek()) === String(selection);
  if (!isLeft) selectionAfterDeselect.value = null;
  const [first] = isLeft ? [] : selection;
  scrollTarget.value = first;
  const parents: number[] = [];
  let parent = first === undefined ? null : byId.value.get(first)?.parentId ?? null;
  while (parent !== null) {
    parents.push(parent);
    parent = byId.value.get(parent)?.parentId ?? null;
  }
  if (parents.some((id) => closed.peek().has(id))) {
    closed.value = new Set([...closed.peek()].filter((id) => !parents.includes(id)));
  }
});

/** Index of the primary entity's row, or -1. */
export const primaryRow = computed(() => {
  const [first] = view.value.selection;
  return rows.value.findIndex(({ entity }) => entity.id === first);
});

/** Row index of the entity to scroll to, or -1. */
export const shownRow = computed(() => {
  const id = scrollTarget.value;
  return rows.value.findIndex(({ entity }) => entity.id === id);
});

/** The tree's own state, which its rows and keys change. */
export interface TreeState {
  /** Prefix of the ids of the rows' elements. */
  readonly id: string;
  /** The entity whose name is edited. */
  readonly renamed: number | null;
  readonly setRenamed: (id: number | null) => void;
  /** The place that a drag is over. */
  readonly target: TreePlace | null;
  readonly setTarget: (place: TreePlace | null) => void;
  /** The entity that a range of rows is selected from. */
  readonly anchor: { current: number | null };
  /** Whether an entity, not an external file, is being dragged. */
  readonly isDragged: { current: boolean };
}

/** Selects a row; with Shift all from the anchor, with Ctrl one more or less. */
export function pick(
  index: number,
  { shiftKey, ctrlKey, metaKey }: MouseEvent | KeyboardEvent,
  { anchor }: TreeState,
): void {
  const row = rows.value[index];
  if (row === undefined) return;
  const { entity } = row;
  if (shiftKey && anchor.current !== null) {
    const from = rows.value.findIndex((one) => one.entity.id === anchor.current);
    const range = rows.value.slice(Math.min(from, index), Math.max(from, index) + 1);
    const others = range.map((one) => one.entity.id).filter((one) => one !== entity.id);
    return select([entity.id, ...others]);
  }
  anchor.current = entity.id;
  if (ctrlKey || metaKey) toggleSelected(entity.id);
  else select([entity.id]);
}

export function fold(entity: Entity, isOpen: boolean): void {
  const next = new Set(closed.value);
  if (isOpen) next.delete(entity.id);
  else next.add(entity.id);
  closed.value = next;
}

async function moveTo(place: TreePlace): Promise<void> {
  const into = byId.value.get(place.id);
  if (place.place === "in" && into !== undefined) fold(into, true);
  await edit(movesTo(place));
}

export function rename(entity: Entity, name: string, { setRenamed }: TreeState): void {
  setRenamed(null);
  if (name !== "" && name !== entity.name) void edit([{ op: "rename", id: entity.id, name }]);
}

export function pressKey(event: KeyboardEvent, tree: TreeState): void {
  if (event.altKey) {
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault(); // otherwise the browser navigates back
    event.stopPropagation();
    // Keys may come faster than the page shows the previous move.
    void moves.take(async () => {
      const place = isStopped.value ? placeBeyond(event.key) : null;
      if (place !== null) await moveTo(place);
    });
    return;
  }
  const press = KEYS[event.key];
  if (press === undefined || (event.key === "d" && !event.ctrlKey && !event.metaKey)) return;
  press(event, tree);
  event.preventDefault();
  event.stopPropagation();
}

function startRenaming(_event: KeyboardEvent, { setRenamed }: TreeState): void {
  const row = rows.value[primaryRow.value];
  if (row !== undefined && isStopped.value) setRenamed(row.entity.id);
}

/** Key → its effect on the tree. */
const KEYS: Readonly<Record<string, (event: KeyboardEvent, tree: TreeState) => void>> = {
  ArrowDown: (event, tree) =>
    pick(Math.min(rows.value.length - 1, primaryRow.value + 1), event, tree),
  ArrowUp: (event, tree) => pick(Math.max(0, primaryRow.value - 1), event, tree),
  Home: (event, tree) => pick(0, event, tree),
  End: (event, tree) => pick(rows.value.length - 1, event, tree),
  ArrowRight(event, tree) {
    const row = rows.value[primaryRow.value];
    if (row?.hasChildren && !row.isOpen) fold(row.entity, true);
    else pick(primaryRow.value + 1, event, tree);
  },
  ArrowLeft() {
    const row = rows.value[primaryRow.value];
    if (row?.isOpen) fold(row.entity, false);
    else if (row !== undefined && row.entity.parentId !== null) select([row.entity.parentId]);
  },
  F2: startRenaming,
  Enter: startRenaming,
  Delete: () => void removeSelected(),
  Backspace: () => void removeSelected(),
  d: () => void duplicateSelected(),
};

/** The handlers of a row that is dragged, or that something is dragged over. */
export function dragHandlers(entity: Entity, isSelected: boolean, tree: TreeState) {
  const { isDragged, setTarget, target } = tree;
  const isOurs = ({ dataTransfer }: DragEvent) =>
    isDragged.current || dataTransfer?.types.includes("text/plain") === true;
  return {
    onDragStart() {
      isDragged.current = true;
      if (!isSelected) select([entity.id]);
    },
    onDragOver(event: DragEvent) {
      if (!isOurs(event)) return;
      event.preventDefault();
      setTarget({ id: entity.id, place: placeIn(event) });
    },
    onDragLeave: () => setTarget(null),
    onDrop(event: DragEvent) {
      if (!isOurs(event)) return;
      event.preventDefault();
      const asset = assetByName.value.get(event.dataTransfer?.getData("text/plain") ?? "");
      if (asset !== undefined) void placeAsset(asset, { parentId: target?.id ?? null });
      else if (target !== null) void moveTo(target);
      setTarget(null);
    },
    onDragEnd() {
      isDragged.current = false;
      setTarget(null);
    },
  };
}

/** Returns the place of a drop; an asset always becomes a child of the row. */
function placeIn({ currentTarget, clientY, dataTransfer }: DragEvent): TreePlace["place"] {
  const isAsset = dataTransfer?.types.includes("text/plain") === true;
  if (isAsset || !(currentTarget instanceof HTMLElement)) return "in";
  const { top, height } = currentTarget.getBoundingClientRect();
  const at = (clientY - top) / height;
  return at < 0.25 ? "before" : at > 0.75 ? "after" : "in";
}
