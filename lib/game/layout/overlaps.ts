import { eachOf, type Work } from "../../core/cooperative.ts";
import type { Entity, Layer, LayoutEntry, OverlapPair, OverlapQuery, Rect } from "../types/mod.ts";
import { BoxTree } from "./box-tree.ts";
import { type Boxes, boxesOf } from "./boxes.ts";
import { countIntersecting } from "./count-intersecting.ts";

/** Rectangles that are compared between two turns of others: about a millisecond. */
const COMPARED = 100_000;

/** Rectangles with an area, of the entities of one layer. */
interface Areas {
  readonly layer: Layer;
  /** Ascending. */
  readonly ids: readonly number[];
  readonly rects: readonly Rect[];
}

/** Returns whether two rectangles share an area; a common edge does not count. */
export function intersects(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/**
 * Returns whether a rectangle has an area: at large coordinates, a small width is lost to rounding.
 */
export function hasArea({ x, y, w, h }: Rect): boolean {
  return x + w > x && y + h > y;
}

/** Index of a missing entity. */
const NOWHERE = -1;

/**
 * Answers whether one entity is an ancestor of another, in constant time at any depth: a walk
 * through the tree visits an entity and, right after it, all its descendants.
 */
export class Ancestry {
  readonly #places = new Map<number, number>();
  /** By index: the index of the parent, or {@linkcode NOWHERE}. */
  readonly #parents: Int32Array;
  /** By index: its position in the walk. */
  readonly #met: Int32Array;
  /** By index: the number of itself and its descendants. */
  readonly #sizes: Int32Array;

  private constructor(count: number) {
    this.#parents = new Int32Array(count).fill(NOWHERE);
    this.#met = new Int32Array(count);
    this.#sizes = new Int32Array(count).fill(1);
  }

  /** @param entities Every parent before its children. */
  static *of(entities: readonly Entity[]): Work<Ancestry> {
    const ancestry = new Ancestry(entities.length);
    yield* eachOf(entities, (entity) => ancestry.#add(entity));
    ancestry.#walk();
    return ancestry;
  }

  #add({ id, parentId }: Entity): void {
    const place = this.#places.size;
    this.#places.set(id, place);
    if (parentId !== null) this.#parents[place] = this.#placeOf(parentId);
  }

  #walk(): void {
    const count = this.#parents.length;
    for (let place = count - 1; place >= 0; place--) {
      const parent = this.#parents[place] ?? NOWHERE;
      if (parent !== NOWHERE) this.#sizes[parent] = this.#size(parent) + this.#size(place);
    }
    const next = new Int32Array(count);
    let top = 0;
    for (let place = 0; place < count; place++) {
      const parent = this.#parents[place] ?? NOWHERE;
      const met = parent === NOWHERE ? top : next[parent] ?? 0;
      if (parent === NOWHERE) top += this.#size(place);
      else next[parent] = met + this.#size(place);
      this.#met[place] = met;
      next[place] = met + 1;
    }
  }

  /** Returns whether `ancestor` is an ancestor of `id`. */
  isAbove(ancestor: number, id: number): boolean {
    const [above, below] = [this.#placeOf(ancestor), this.#placeOf(id)];
    if (above === NOWHERE || below === NOWHERE) return false;
    const after = (this.#met[below] ?? 0) - (this.#met[above] ?? 0);
    return after > 0 && after < this.#size(above);
  }

  /** Returns for each of these ids the index among them of its nearest ancestor; -1 for none. */
  nearestAbove(ids: readonly number[]): Int32Array {
    const named = new Int32Array(this.#parents.length).fill(NOWHERE);
    for (const [index, id] of ids.entries()) {
      const place = this.#placeOf(id);
      if (place !== NOWHERE) named[place] = index;
    }
    const nearest = new Int32Array(ids.length).fill(NOWHERE);
    /** By index: the index of the nearest listed entity, including itself. */
    const around = new Int32Array(this.#parents.length);
    for (let place = 0; place < around.length; place++) {
      const parent = this.#parents[place] ?? NOWHERE;
      const above = parent === NOWHERE ? NOWHERE : around[parent] ?? NOWHERE;
      const own = named[place] ?? NOWHERE;
      if (own !== NOWHERE) nearest[own] = above;
      around[place] = own === NOWHERE ? above : own;
    }
    return nearest;
  }

  #placeOf(id: number): number {
    return this.#places.get(id) ?? NOWHERE;
  }

  #size(place: number): number {
    return this.#sizes[place] ?? 0;
  }
}

function* areasByLayer(entries: readonly LayoutEntry[]): Work<readonly Areas[]> {
  const layers = new Map<Layer, { id: number; rect: Rect }[]>([["3d", []], ["2d", []], ["ui", []]]);
  yield* eachOf(entries, ({ id, layer, rect }) => {
    if (rect !== null && hasArea(rect)) layers.get(layer)?.push({ id, rect });
  });
  return [...layers].map(([layer, areas]) => {
    areas.sort((a, b) => a.id - b.id);
    return { layer, ids: areas.map(({ id }) => id), rects: areas.map(({ rect }) => rect) };
  });
}

/**
 * Counts the overlapping pairs of one layer, in O(n log n) regardless of their number. An entity
 * and its descendants overlap by design and are not counted.
 */
export function* countOverlaps(
  entries: readonly LayoutEntry[],
  ancestry: Ancestry,
): Work<number> {
  let count = 0;
  for (const areas of yield* areasByLayer(entries)) {
    const boxes = boxesOf(areas.rects);
    yield;
    count += yield* countIntersecting(boxes);
    count -= yield* countRelated(boxes, ancestry.nearestAbove(areas.ids));
  }
  return count;
}

/** Counts the overlapping pairs of an entity and one of its ancestors. */
function* countRelated({ left, top, right, bottom }: Boxes, above: Int32Array): Work<number> {
  let count = 0;
  let compared = 0;
  for (let box = 0; box < above.length; box++) {
    const [x, y] = [left[box] ?? 0, top[box] ?? 0];
    const [endX, endY] = [right[box] ?? 0, bottom[box] ?? 0];
    for (let other = above[box] ?? NOWHERE; other !== NOWHERE; other = above[other] ?? NOWHERE) {
      compared++;
      const meets = x < (right[other] ?? 0) && (left[other] ?? 0) < endX &&
        y < (bottom[other] ?? 0) && (top[other] ?? 0) < endY;
      if (meets) count++;
    }
    if (compared < COMPARED) continue;
    compared = 0;
    yield;
  }
  return count;
}

/**
 * Counts those pairs of {@linkcode countOverlaps} that match a query: the pairs of a layer, minus
 * the pairs without any of the given entities.
 */
export function* countMatching(
  entries: readonly LayoutEntry[],
  ancestry: Ancestry,
  { layer, ids }: OverlapQuery,
): Work<number> {
  const there = layer === undefined ? entries : entries.filter((entry) => entry.layer === layer);
  const all = yield* countOverlaps(there, ancestry);
  if (ids === undefined) return all;
  const chosenIds = new Set(ids);
  return all - (yield* countOverlaps(there.filter(({ id }) => !chosenIds.has(id)), ancestry));
}

/**
 * Returns the pairs that {@linkcode countOverlaps} counts, ordered by `a`, then `b`; `a` < `b`.
 * Entities are searched one after another, so pairs beyond the last requested one are never
 * searched.
 */
export function* listOverlaps(
  entries: readonly LayoutEntry[],
  ancestry: Ancestry,
  { layer, ids, limit = Infinity }: OverlapQuery = {},
): Work<readonly OverlapPair[]> {
  const chosenIds = ids && new Set(ids);
  const found: OverlapPair[] = [];
  for (const areas of yield* areasByLayer(entries)) {
    if (layer !== undefined && areas.layer !== layer) continue;
    for (const pair of yield* pairsOf(areas, ancestry, { chosenIds, limit })) found.push(pair);
  }
  return found.sort((one, other) => one.a - other.a || one.b - other.b).slice(0, limit);
}

function* pairsOf(
  { layer, ids, rects }: Areas,
  ancestry: Ancestry,
  { chosenIds, limit }: {
    readonly chosenIds: ReadonlySet<number> | undefined;
    readonly limit: number;
  },
): Work<readonly OverlapPair[]> {
  const pairs: OverlapPair[] = [];
  if (limit === 0) return pairs;
  const boxes = boxesOf(rects);
  const isWanted = (index: number) => chosenIds?.has(ids[index] ?? 0) ?? true;
  const indices = Uint32Array.from(ids.keys());
  const all = yield* BoxTree.of(boxes, indices);
  const named = chosenIds === undefined ? all : yield* BoxTree.of(boxes, indices.filter(isWanted));
  let compared = 0;
  for (const [index, a] of ids.entries()) {
    // An entity that is not listed only has pairs with listed ones.
    const met = (isWanted(index) ? all : named).meeting(index);
    const related = (b: number) => ancestry.isAbove(a, b) || ancestry.isAbove(b, a);
    const others = met.filter((other) => other > index && !related(ids[other] ?? 0));
    for (const other of others.sort((one, another) => one - another)) {
      pairs.push({ a, b: ids[other] ?? 0, layer });
      if (pairs.length >= limit) return pairs;
    }
    compared += met.length + 1;
    if (compared < COMPARED) continue;
    compared = 0;
    yield;
  }
  return pairs;
}
