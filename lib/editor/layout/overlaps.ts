import type { Entity, Layer, LayoutEntry, OverlapPair, Rect } from "../ports.ts";

/** A rectangle with an area, of one entity. */
interface Area {
  readonly id: number;
  readonly layer: Layer;
  readonly rect: Rect;
}

/** Whether two rectangles share an area; a common edge is none. */
export function intersects(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** Whether a rectangle covers anything. */
export function hasArea(rect: Rect): boolean {
  return rect.w > 0 && rect.h > 0;
}

/** Answers who stands above whom. */
export class Ancestry {
  readonly #parents: ReadonlyMap<number, number | null>;

  constructor(entities: readonly Entity[]) {
    this.#parents = new Map(entities.map(({ id, parentId }) => [id, parentId]));
  }

  /** The ids above `id`, the nearest first. */
  *above(id: number): IterableIterator<number> {
    let at = this.#parents.get(id) ?? null;
    while (at !== null) {
      yield at;
      at = this.#parents.get(at) ?? null;
    }
  }

  /** Whether `ancestor` stands somewhere above `id`. */
  isAbove(ancestor: number, id: number): boolean {
    for (const at of this.above(id)) if (at === ancestor) return true;
    return false;
  }
}

function areasByLayer(entries: readonly LayoutEntry[]): readonly (readonly Area[])[] {
  const layers = new Map<Layer, Area[]>([["3d", []], ["2d", []], ["ui", []]]);
  for (const { id, layer, rect } of entries) {
    if (rect !== null && hasArea(rect)) layers.get(layer)?.push({ id, layer, rect });
  }
  return [...layers.values()];
}

interface Edge {
  readonly x: number;
  readonly opens: boolean;
  readonly area: Area;
}

/** The left and right edges from left to right; where two meet, the closing one comes first. */
function edgesOf(areas: readonly Area[]): readonly Edge[] {
  const edges = areas.flatMap((area): Edge[] => [
    { x: area.rect.x, opens: true, area },
    { x: area.rect.x + area.rect.w, opens: false, area },
  ]);
  return edges.sort((a, b) => a.x - b.x || Number(a.opens) - Number(b.opens));
}

/**
 * How many pairs of one layer overlap, in O(n log n) however many they are. An entity and what is
 * below it overlap by design and are not counted.
 */
export function countOverlaps(entries: readonly LayoutEntry[], ancestry: Ancestry): number {
  let count = 0;
  for (const areas of areasByLayer(entries)) {
    count += countIntersecting(areas) - countRelated(areas, ancestry);
  }
  return count;
}

/**
 * A sweep from left to right over the open rectangles. Of these, a new one meets all but those that
 * end above it or begin below it, and two counting trees know how many those are.
 */
function countIntersecting(areas: readonly Area[]): number {
  const tops = new Ranks(areas.map(({ rect }) => rect.y));
  const bottoms = new Ranks(areas.map(({ rect }) => rect.y + rect.h));
  let open = 0;
  let count = 0;
  for (const { opens, area: { rect: { y, h } } } of edgesOf(areas)) {
    if (opens) {
      const endAbove = bottoms.countUpTo(y);
      const beginBelow = open - tops.countBelow(y + h);
      count += open - endAbove - beginBelow;
    }
    const step = opens ? 1 : -1;
    tops.add(y, step);
    bottoms.add(y + h, step);
    open += step;
  }
  return count;
}

function countRelated(areas: readonly Area[], ancestry: Ancestry): number {
  const rects = new Map(areas.map(({ id, rect }) => [id, rect]));
  let count = 0;
  for (const { id, rect } of areas) {
    for (const above of ancestry.above(id)) {
      const other = rects.get(above);
      if (other !== undefined && intersects(rect, other)) count++;
    }
  }
  return count;
}

/** How many of the values added so far lie below a bound (a Fenwick tree over known values). */
class Ranks {
  readonly #values: readonly number[];
  readonly #tree: Int32Array;

  constructor(values: readonly number[]) {
    this.#values = [...new Set(values)].sort((a, b) => a - b);
    this.#tree = new Int32Array(this.#values.length + 1);
  }

  add(value: number, step: number): void {
    for (let i = this.#firstAtLeast(value) + 1; i < this.#tree.length; i += i & -i) {
      this.#tree[i] = (this.#tree[i] ?? 0) + step;
    }
  }

  countBelow(bound: number): number {
    return this.#sum(this.#firstAtLeast(bound));
  }

  countUpTo(bound: number): number {
    const index = this.#firstAtLeast(bound);
    return this.#sum(this.#values[index] === bound ? index + 1 : index);
  }

  #sum(upTo: number): number {
    let sum = 0;
    for (let i = upTo; i > 0; i -= i & -i) sum += this.#tree[i] ?? 0;
    return sum;
  }

  #firstAtLeast(bound: number): number {
    let low = 0;
    let high = this.#values.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#values[middle] ?? Infinity) < bound) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The pairs that {@linkcode countOverlaps} counts, ordered by `a`, then `b`; `a` < `b`. */
export function listOverlaps(
  entries: readonly LayoutEntry[],
  ancestry: Ancestry,
): readonly OverlapPair[] {
  const pairs: OverlapPair[] = [];
  for (const areas of areasByLayer(entries)) {
    const open = new Set<Area>();
    for (const { opens, area } of edgesOf(areas)) {
      if (!opens) {
        open.delete(area);
        continue;
      }
      for (const other of open) {
        if (!intersects(area.rect, other.rect)) continue;
        const { id, layer } = area;
        if (ancestry.isAbove(id, other.id) || ancestry.isAbove(other.id, id)) continue;
        pairs.push({ a: Math.min(id, other.id), b: Math.max(id, other.id), layer });
      }
      open.add(area);
    }
  }
  return pairs.sort((one, other) => one.a - other.a || one.b - other.b);
}
