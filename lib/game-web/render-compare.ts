import type { CompareTask, Comparison, Rect } from "../game/types/mod.ts";
import { canvasOf } from "./render-pixels.ts";

/** Pixels along a side of the squares that differences are gathered in. */
const CELL = 16;
/** Maximum boxes of differences; the smallest are omitted. */
const MAX_BOXES = 20;

/**
 * Returns the differences between two pictures of one size, and a picture of them: red over a pale
 * copy.
 */
export function compared(
  before: HTMLCanvasElement,
  after: HTMLCanvasElement,
  { threshold }: Pick<CompareTask, "threshold">,
): { readonly comparison: Comparison; readonly picture: HTMLCanvasElement } {
  const { width, height } = before;
  const [a, b] = [pixelsOf(before), pixelsOf(after)];
  const { canvas, context } = canvasOf(before);
  const shown = context.createImageData(width, height);
  const across = Math.ceil(width / CELL);
  const cells = new Map<number, Box>();
  let different = 0;
  for (let at = 0; at < a.length; at += 4) {
    let most = 0;
    for (let channel = 0; channel < 4; channel++) {
      most = Math.max(most, Math.abs((a[at + channel] ?? 0) - (b[at + channel] ?? 0)));
    }
    const isDifferent = most > threshold;
    const grey = ((b[at] ?? 0) + (b[at + 1] ?? 0) + (b[at + 2] ?? 0)) / 3;
    const pale = 160 + grey * 0.35;
    shown.data.set(isDifferent ? [230, 0, 40, 255] : [pale, pale, pale, 255], at);
    if (!isDifferent) continue;
    different++;
    const pixel = at / 4;
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    const cell = Math.floor(y / CELL) * across + Math.floor(x / CELL);
    cells.set(cell, around(cells.get(cell), { left: x, top: y, right: x + 1, bottom: y + 1 }));
  }
  context.putImageData(shown, 0, 0);
  const boxes = joined(cells, across);
  return { comparison: { width, height, different, boxes }, picture: canvas };
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function pixelsOf(picture: HTMLCanvasElement): Uint8ClampedArray {
  const { canvas, context } = canvasOf(picture);
  context.drawImage(picture, 0, 0);
  return context.getImageData(0, 0, canvas.width, canvas.height).data;
}

/** Boxes around squares that touch each other, the largest first. */
function joined(cells: ReadonlyMap<number, Box>, across: number): readonly Rect[] {
  const left = new Set(cells.keys());
  const boxes: Rect[] = [];
  for (const first of cells.keys()) {
    if (!left.delete(first)) continue;
    const waiting = [first];
    let box: Box | undefined;
    for (let cell = waiting.pop(); cell !== undefined; cell = waiting.pop()) {
      const own = cells.get(cell);
      if (own !== undefined) box = around(box, own);
      for (const near of neighbours(cell, across)) if (left.delete(near)) waiting.push(near);
    }
    if (box === undefined) continue;
    boxes.push({ x: box.left, y: box.top, w: box.right - box.left, h: box.bottom - box.top });
  }
  return boxes.sort((a, b) => b.w * b.h - a.w * a.h).slice(0, MAX_BOXES);
}

function* neighbours(cell: number, across: number): Iterable<number> {
  const column = cell % across;
  for (const down of [-across, 0, across]) {
    for (const aside of [-1, 0, 1]) {
      if (column + aside >= 0 && column + aside < across) yield cell + down + aside;
    }
  }
}

function around(box: Box | undefined, { left, top, right, bottom }: Box): Box {
  return {
    left: Math.min(box?.left ?? left, left),
    top: Math.min(box?.top ?? top, top),
    right: Math.max(box?.right ?? right, right),
    bottom: Math.max(box?.bottom ?? bottom, bottom),
  };
}
