import type { Rect } from "../types/mod.ts";

/** The edges of many rectangles, by index, in the form that loops over all of them are fast on. */
export interface Boxes {
  /** Left edges. */
  readonly left: Float64Array;
  /** Top edges. */
  readonly top: Float64Array;
  /** Right edges. */
  readonly right: Float64Array;
  /** Bottom edges. */
  readonly bottom: Float64Array;
}

/** The edges of rectangles. */
export function boxesOf(rects: readonly Rect[]): Boxes {
  const size = rects.length;
  const [left, top] = [new Float64Array(size), new Float64Array(size)];
  const [right, bottom] = [new Float64Array(size), new Float64Array(size)];
  for (let i = 0; i < size; i++) {
    const rect = rects[i];
    if (rect === undefined) continue;
    left[i] = rect.x;
    top[i] = rect.y;
    right[i] = rect.x + rect.w;
    bottom[i] = rect.y + rect.h;
  }
  return { left, top, right, bottom };
}
