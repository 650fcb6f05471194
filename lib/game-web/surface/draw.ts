import type { Brush } from "./brush.ts";
import { drawPart } from "./draw-part.ts";
import { drawWords } from "./draw-words.ts";
import type { Frame, Paint, Picture } from "./paint.ts";

/** Draws what is to be painted, each over those before it. @param pixelRatio Of the canvas. */
export function draw(brush: Brush, paints: readonly Paint[], pixelRatio: number): void {
  const { context } = brush;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  for (const paint of paints) {
    const [a, b, c, d, e, f] = timed(paint.frame, pixelRatio);
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
        drawPicture(brush, paint);
        break;
      case "words":
        drawWords(brush, paint);
        break;
    }
  }
}

function timed(frame: Frame, factor: number): Frame {
  const [a, b, c, d, e, f] = frame;
  return [a * factor, b * factor, c * factor, d * factor, e * factor, f * factor];
}

function drawPicture({ context, images, tints }: Brush, { image, tint, box }: Picture): void {
  const found = images.of(image);
  if (found !== null) drawPart(context, tints.of(found, tint), box);
}
