import type { Entity, Rect, TraitFields } from "../types/mod.ts";

/** A tree of boxes, as it was laid out. */
export interface LaidOut {
  readonly tree: readonly Entity[];
  readonly rects: ReadonlyMap<number, Rect | null>;
}

/** Traits that determine the layout of a box. */
const TRAITS = ["UIElement", "Text", "Sprite"] as const;

/**
 * The laid-out trees of boxes of the last layout, by their roots' ids: most frames change none of
 * them.
 */
export class UiMemory {
  #seenWith: readonly unknown[] = [];
  #boxes: readonly Entity[] = [];
  #rects: ReadonlyMap<number, Rect | null> = new Map();
  #laidOut: ReadonlyMap<number, LaidOut> = new Map();

  /** Returns the rectangles of all boxes if each is unchanged, otherwise `null`. */
  rectsOf(
    seenWith: readonly unknown[],
    boxes: readonly Entity[],
  ): ReadonlyMap<number, Rect | null> | null {
    return sameValues(seenWith, this.#seenWith) && sameValues(boxes, this.#boxes)
      ? this.#rects
      : null;
  }

  /** Returns the valid layouts. @param seenWith Everything else that determines them. */
  of(seenWith: readonly unknown[]): ReadonlyMap<number, LaidOut> {
    return sameValues(seenWith, this.#seenWith) ? this.#laidOut : new Map();
  }

  /** Remembers a layout in place of the last one. */
  keep(
    seenWith: readonly unknown[],
    { boxes, rects, laidOut }: {
      readonly boxes: readonly Entity[];
      readonly rects: ReadonlyMap<number, Rect | null>;
      readonly laidOut: ReadonlyMap<number, LaidOut>;
    },
  ): void {
    this.#seenWith = seenWith;
    this.#boxes = boxes;
    this.#rects = rects;
    this.#laidOut = laidOut;
  }
}

function sameValues(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, n) => value === other[n]);
}

/** Returns whether an entity has a box on the UI layer. */
export function isBox({ layer, traits }: Entity): boolean {
  return layer === "ui" && traits["UIElement"] !== undefined;
}

/** The boxes below each root, with it, in their order. @param boxes Every parent before its children. */
export function treesOf(boxes: readonly Entity[]): ReadonlyMap<number, readonly Entity[]> {
  const trees = new Map<number, Entity[]>();
  const treeOf = new Map<number, Entity[]>();
  for (const entity of boxes) {
    const above = entity.parentId === null ? undefined : treeOf.get(entity.parentId);
    const tree = above ?? [];
    if (above === undefined) trees.set(entity.id, tree);
    tree.push(entity);
    treeOf.set(entity.id, tree);
  }
  return trees;
}

/** Whether two trees are laid out alike. */
export function sameBoxes(before: readonly Entity[], now: readonly Entity[]): boolean {
  return before.length === now.length && now.every((entity, index) => {
    const other = before[index];
    return entity === other || other !== undefined && sameBox(other, entity);
  });
}

function sameBox(before: Entity, now: Entity): boolean {
  return before.id === now.id && before.parentId === now.parentId &&
    TRAITS.every((trait) => sameFields(before.traits[trait], now.traits[trait]));
}

function sameFields(before: TraitFields | undefined, now: TraitFields | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  const names = Object.keys(now);
  return names.length === Object.keys(before).length &&
    names.every((name) => before[name] === now[name]);
}
