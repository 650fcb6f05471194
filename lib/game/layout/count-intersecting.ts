import type { Work } from "../../core/cooperative.ts";
import type { Boxes } from "./boxes.ts";
import { sortedOrder } from "./sorted-order.ts";

/** Rectangles that the sweep passes between two yields: about a millisecond of work. */
const PIECE = 4_096;

/**
 * Counts the pairs of rectangles that share an area, in O(n log n) regardless of their number.
 *
 * Sweeps from left to right over the open rectangles. A new one intersects all of them except those
 * that end above it or start below it; two counting trees count those.
 *
 * @param boxes Each with an area. Where two edges meet, a rectangle closes before another opens.
 */
export function* countIntersecting({ left, top, right, bottom }: Boxes): Work<number> {
  const [opening, closing] = [yield* sortedOrder(left), yield* sortedOrder(right)];
  const { topRank, bottomRank, topsAboveEnd, bottomsAboveStart } = yield* ranksOf(top, bottom);
  const openTops = new CountingTree(left.length);
  const openBottoms = new CountingTree(left.length);
  let open = 0;
  let count = 0;
  let closed = 0;
  for (let i = 0; i < left.length; i++) {
    const box = opening.order[i] ?? 0;
    const x = opening.values[i] ?? 0;
    while ((closing.values[closed] ?? Infinity) <= x) {
      const gone = closing.order[closed++] ?? 0;
      openTops.add(topRank[gone] ?? 0, -1);
      openBottoms.add(bottomRank[gone] ?? 0, -1);
      open--;
    }
    const beginAboveItsEnd = openTops.countFirst(topsAboveEnd[box] ?? 0);
    const endAboveIt = openBottoms.countFirst(bottomsAboveStart[box] ?? 0);
    count += beginAboveItsEnd - endAboveIt;
    openTops.add(topRank[box] ?? 0, 1);
    openBottoms.add(bottomRank[box] ?? 0, 1);
    open++;
    if (i % PIECE === PIECE - 1) yield;
  }
  return count;
}

interface Ranks {
  /** The place of each box's top among all tops. */
  readonly topRank: Uint32Array;
  /** The place of each box's bottom among all bottoms. */
  readonly bottomRank: Uint32Array;
  /** Number of tops above each box's bottom. */
  readonly topsAboveEnd: Uint32Array;
  /** Number of bottoms above or at each box's top. */
  readonly bottomsAboveStart: Uint32Array;
}

function* ranksOf(top: Float64Array, bottom: Float64Array): Work<Ranks> {
  const size = top.length;
  const [tops, bottoms] = [yield* sortedOrder(top), yield* sortedOrder(bottom)];
  const [topRank, bottomRank] = [new Uint32Array(size), new Uint32Array(size)];
  const [topsAboveEnd, bottomsAboveStart] = [new Uint32Array(size), new Uint32Array(size)];
  for (let i = 0, above = 0; i < size; i++) {
    const box = bottoms.order[i] ?? 0;
    const end = bottoms.values[i] ?? 0;
    while ((tops.values[above] ?? Infinity) < end) above++;
    bottomRank[box] = i;
    topsAboveEnd[box] = above;
  }
  yield;
  for (let i = 0, above = 0; i < size; i++) {
    const box = tops.order[i] ?? 0;
    const start = tops.values[i] ?? 0;
    while ((bottoms.values[above] ?? Infinity) <= start) above++;
    topRank[box] = i;
    bottomsAboveStart[box] = above;
  }
  return { topRank, bottomRank, topsAboveEnd, bottomsAboveStart };
}

/** Counts at places from 0, and their sums from the front (a Fenwick tree). */
class CountingTree {
  readonly #sums: Int32Array;

  constructor(size: number) {
    this.#sums = new Int32Array(size + 1);
  }

  add(place: number, step: number): void {
    const sums = this.#sums;
    for (let i = place + 1; i < sums.length; i += i & -i) sums[i] = (sums[i] ?? 0) + step;
  }

  /** Returns the sum of the first `places` values. */
  countFirst(places: number): number {
    let sum = 0;
    for (let i = places; i > 0; i -= i & -i) sum += this.#sums[i] ?? 0;
    return sum;
  }
}
