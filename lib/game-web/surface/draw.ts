import type { Rect } from "../../game/types/mod.ts";
import type { Brush } from "./brush.ts";
import { drawPart } from "./draw-part.ts";
import { drawWords } from "./draw-words.ts";
import { type Frame, type ImagePaint, onCanvas, type Paint } from "./paint.ts";
import { coverOf, meets } from "./region.ts";

/**
 * Draws paints, each over the previous ones.
 *
 * @param pixelRatio Of the canvas.
 * @param boxes The parts of the canvas to draw, in its pixels; all of it when absent.
 */
export function draw(
  brush: Brush,
  paints: readonly Paint[],
  { pixelRatio, boxes }: { readonly pixelRatio: number; readonly boxes?: readonly Rect[] },
): void {
  const { context } = brush;
  if (boxes === undefined) {
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    for (const paint of paints) drawPaint(brush, paint, pixelRatio);
    return;
  }
  const covered = paints.map((paint) => ({ paint, cover: coverOf(paint, pixelRatio) }));
  for (const box of boxes) {
    const { x, y, w, h } = box;
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.beginPath();
    context.rect(x, y, w, h);
    context.clip();
    context.clearRect(x, y, w, h);
    for (const { paint, cover } of covered) {
      if (meets(cover, box)) drawPaint(brush, paint, pixelRatio);
    }
    context.restore();
  }
}

function drawPaint(brush: Brush, paint: Paint, pixelRatio: number): void {
  const { context } = brush;
  const frame = onCanvas(paint.frame, pixelRatio);
  const [a, b, c, d, e, f] = frame;
  context.setTransform(a, b, c, d, e, f);
  context.globalAlpha = paint.alpha;
  switch (paint.kind) {
    case "fill": {
      const { x, y, w, h } = paint.box;
      context.fillStyle = paint.color;
      context.fillRect(x, y, w, h);
      break;
    }
    case "picture":
      drawPicture(brush, paint, frame);
      break;
    case "words":
      drawWords(brush, paint, frame);
      break;
  }
}

function drawPicture(
  { context, images, tints }: Brush,
  { image, tint, box }: ImagePaint,
  frame: Frame,
): void {
  const found = images.of(image);
  if (found !== null) drawPart(context, tints.of(found, tint), { box, frame });
}
