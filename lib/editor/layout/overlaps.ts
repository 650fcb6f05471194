import type { Entity, Layer, LayoutEntry, OverlapPair, OverlapQuery, Rect } from "../ports.ts";
import { BoxTree } from "./box-tree.ts";
import { boxesOf } from "./boxes.ts";
import { countIntersecting } from "./count-intersecting.ts";

/** Rectangles with an area, of the entities of one layer. */
interface Areas {
  readonly layer: Layer;
  /** Ascending. */
  readonly ids: readonly number[];
  readonly rects: readonly Rect[];
}

/** Whether two rectangles share an area; a common edge is none. */
export function intersects(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** Whether a rectangle covers anything: far out, a small width is lost in what a number can say. */
export function hasArea({ x, y, w, h }: Rect): boolean {
  return x + w > x && y + h > y;
}

/** Answers who stands above whom. */
export class Ancestry {
  readonly #parents = new Map<number, number | null>();

  constructor(entities: readonly Entity[]) {
    for (const { id, parentId } of entities) this.#parents.set(id, parentId);
  }

  /** The id right above; `null` at the top. */
  parentOf(id: number): number | null {
    return this.#parents.get(id) ?? null;
  }

  /** Whether `ancestor` stands somewhere above `id`. */
  isAbove(ancestor: number, id: number): boolean {
    for (let at = this.parentOf(id); at !== null; at = this.parentOf(at)) {
      if (at === ancestor) return true;
    }
    return false;
  }
}

function areasByLayer(entries: readonly LayoutEntry[]): readonly Areas[] {
  const layers = new Map<Layer, { id: number; rect: Rect }[]>([["3d", []], ["2d", []], ["ui", []]]);
  for (const { id, layer, rect } of entries) {
    if (rect !== null && hasArea(rect)) layers.get(layer)?.push({ id, rect });
  }
  return [...layers].map(([layer, areas]) => {
    areas.sort((a, b) => a.id - b.id);
    return { layer, ids: areas.map(({ id }) => id), rects: areas.map(({ rect }) => rect) };
  });
}

/**
 * How many pairs of one layer overlap, in O(n log n) however many they are. An entity and what is
 * below it overlap by design and are not counted.
 */
export function countOverlaps(entries: readonly LayoutEntry[], ancestry: Ancestry): number {
  let count = 0;
  for (const areas of areasByLayer(entries)) {
    count += countIntersecting(boxesOf(areas.rects)) - countRelated(areas, ancestry);
  }
  return count;
}

function countRelated({ ids, rects }: Areas, ancestry: Ancestry): number {
  const byId = new Map<number, Rect>();
  for (const [index, rect] of rects.entries()) byId.set(ids[index] ?? 0, rect);
  let count = 0;
  for (const [id, rect] of byId) {
    for (let above = ancestry.parentOf(id); above !== null; above = ancestry.parentOf(above)) {
      const other = byId.get(above);
      if (other !== undefined && intersects(rect, other)) count++;
    }
  }
  return count;
}

/**
 * How many of the pairs that {@linkcode countOverlaps} counts a question is about: those of a layer,
 * those that have one of the entities. The others are the pairs without any of them.
 */
export function countMatching(
  entries: readonly LayoutEntry[],
  ancestry: Ancestry,
  { layer, ids }: OverlapQuery,
): number {
  const there = layer === undefined ? entries : entries.filter((entry) => entry.layer === layer);
  const all = countOverlaps(there, ancestry);
  if (ids === undefined) return all;
  const wanted = new Set(ids);
  return all - countOverlaps(there.filter(({ id }) => !wanted.has(id)), ancestry);
}

/**
 * The pairs that {@linkcode countOverlaps} counts, ordered by `a`, then `b`; `a` < `b`. Entities are
 * asked one after the other, so that the pairs behind the last wanted one are never looked for.
 */
export function listOverlaps(
  entries: readonly LayoutEntry[],
  ancestry: Ancestry,
  { layer, ids, limit = Infinity }: OverlapQuery = {},
): readonly OverlapPair[] {
  const wanted = ids && new Set(ids);
  return areasByLayer(entries)
    .filter((areas) => layer === undefined || areas.layer === layer)
    .flatMap((areas) => pairsOf(areas, ancestry, { wanted, limit }))
    .sort((one, other) => one.a - other.a || one.b - other.b)
    .slice(0, limit);
}

function pairsOf(
  { layer, ids, rects }: Areas,
  ancestry: Ancestry,
  { wanted, limit }: { readonly wanted: ReadonlySet<number> | undefined; readonly limit: number },
): readonly OverlapPair[] {
  const pairs: OverlapPair[] = [];
  if (limit === 0) return pairs;
  const boxes = boxesOf(rects);
  const isWanted = (index: number) => wanted?.has(ids[index] ?? 0) ?? true;
  const indices = Uint32Array.from(ids.keys());
  const all = new BoxTree(boxes, indices);
  const named = wanted === undefined ? all : new BoxTree(boxes, indices.filter(isWanted));
  for (const [index, a] of ids.entries()) {
    // What is not named itself only has pairs with those that are.
    const met = (isWanted(index) ? all : named).meeting(index).filter((other) => other > index);
    for (const other of met.sort((one, another) => one - another)) {
      const b = ids[other] ?? 0;
      if (ancestry.isAbove(a, b) || ancestry.isAbove(b, a)) continue;
      pairs.push({ a, b, layer });
      if (pairs.length >= limit) return pairs;
    }
  }
  return pairs;
}
