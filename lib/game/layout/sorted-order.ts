import type { Work } from "../../core/cooperative.ts";

/** Numbers that are placed between two yields: about a millisecond of work. */
const PIECE = 8_192;

/** Sorted numbers with their origins. */
export interface SortedOrder {
  /** The values, the smallest first. */
  readonly values: Float64Array;
  /** For each index of `values`, the original index of its value. */
  readonly order: Uint32Array;
}

/**
 * Sorts numbers and keeps their origins: engines sort plain numbers many times faster than with a
 * comparison function.
 */
export function* sortedOrder(numbers: Float64Array): Work<SortedOrder> {
  const values = numbers.slice().sort();
  yield;
  const order = new Uint32Array(values.length);
  /** Number of equal values already placed, by their first index. */
  const taken = new Uint32Array(values.length);
  for (let index = 0; index < numbers.length; index++) {
    const first = firstAtLeast(values, numbers[index] ?? 0);
    const before = taken[first] ?? 0;
    order[first + before] = index;
    taken[first] = before + 1;
    if (index % PIECE === PIECE - 1) yield;
  }
  return { values, order };
}

/** Returns the first index in sorted values whose value is at least `bound`. */
function firstAtLeast(values: Float64Array, bound: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? Infinity) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
