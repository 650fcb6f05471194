import type { Rect } from "../../game/types/mod.ts";
import { type Paint, shiftOf } from "./paint.ts";

/** Pixels that are drawn faster than another box is started. */
const SPARE = 64 * 64;

/**
 * Returns the disjoint boxes of a canvas, in its pixels, that contain all differences between two
 * pictures.
 *
 * @param pixelRatio Of the canvas.
 */
export function changedBoxes(
  before: readonly Paint[],
  now: readonly Paint[],
  pixelRatio: number,
): readonly Rect[] {
  const boxes: Rect[] = [];
  if (before.length === now.length) {
    for (let n = 0; n < now.length; n++) {
      const [was, is] = [before[n], now[n]];
      if (was === undefined || is === undefined || shiftOf(was, is) === 0) continue;
      addBox(boxes, coverOf(was, pixelRatio));
      addBox(boxes, coverOf(is, pixelRatio));
    }
    return boxes;
  }
  // A paint was added or removed: unchanged ones are the same values.
  const [gone, come] = [new Set(before), new Set(now)];
  for (const paint of before) if (!come.has(paint)) addBox(boxes, coverOf(paint, pixelRatio));
  for (const paint of now) if (!gone.has(paint)) addBox(boxes, coverOf(paint, pixelRatio));
  return boxes;
}

/** Returns the whole canvas pixels around a paint. */
export function coverOf(paint: Paint, pixelRatio: number): Rect {
  const { frame: [a, b, c, d, e, f], box } = paint;
  // Letters may be larger than their line, and lean out of it.
  const around = paint.kind === "words" ? paint.size : 0;
  const [w, h] = [(box.w + 2 * around) / 2, (box.h + 2 * around) / 2];
  const [x, y] = [box.x - around + w, box.y - around + h];
  const [middle, across] = [a * x + c * y + e, Math.abs(a * w) + Math.abs(c * h)];
  const [centre, down] = [b * x + d * y + f, Math.abs(b * w) + Math.abs(d * h)];
  // Pixel art extends to whole pixels, at most half a pixel farther; edges are antialiased.
  const left = Math.floor((middle - across) * pixelRatio) - 1;
  const top = Math.floor((centre - down) * pixelRatio) - 1;
  return {
    x: left,
    y: top,
    w: Math.ceil((middle + across) * pixelRatio) + 1 - left,
    h: Math.ceil((centre + down) * pixelRatio) + 1 - top,
  };
}

/** Whether two boxes have pixels in common. */
export function meets(one: Rect, other: Rect): boolean {
  return one.x < other.x + other.w && other.x < one.x + one.w &&
    one.y < other.y + other.h && other.y < one.y + one.h;
}

/** Adds a box, merged with those that it meets or that are near. */
function addBox(boxes: Rect[], added: Rect): void {
  let box = added;
  for (let n = 0; n < boxes.length; n++) {
    const other = boxes[n];
    if (other === undefined) continue;
    const both = around(other, box);
    if (!meets(other, box) && areaOf(both) > areaOf(other) + areaOf(box) + SPARE) continue;
    box = both;
    boxes.splice(n, 1);
    n = -1; // the merged box may meet others
  }
  boxes.push(box);
}

function around(one: Rect, other: Rect): Rect {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  const right = Math.max(one.x + one.w, other.x + other.w);
  const bottom = Math.max(one.y + one.h, other.y + other.h);
  return { x, y, w: right - x, h: bottom - y };
}

function areaOf({ w, h }: Rect): number {
  return w * h;
}
