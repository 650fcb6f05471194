import type { Rect } from "../../game/types/mod.ts";
import type { Image } from "./images.ts";
import type { Frame } from "./paint.ts";
import type { TintedImage } from "./tints.ts";

/**
 * Draws an image, or a part of it, into a box. Pixel art fills whole pixels of the screen: a partly
 * covered pixel would take colour from outside the part.
 *
 * @param place The box, and the current transform of the context.
 */
export function drawPart(
  context: CanvasRenderingContext2D,
  { bitmap, part, pixelArt }: Image | TintedImage,
  { box, frame }: { readonly box: Rect; readonly frame: Frame },
): void {
  context.imageSmoothingEnabled = !pixelArt;
  const { x, y, w, h } = pixelArt ? onWholePixels(box, frame) : box;
  context.drawImage(bitmap, part.x, part.y, part.w, part.h, x, y, w, h);
}

/** Rounds a box to whole pixels; returns it unchanged if it is rotated or mirrored. */
function onWholePixels(box: Rect, [a, b, c, d, e, f]: Frame): Rect {
  if (b !== 0 || c !== 0 || a <= 0 || d <= 0) return box;
  const x = (Math.round(a * box.x + e) - e) / a;
  const y = (Math.round(d * box.y + f) - f) / d;
  const right = (Math.round(a * (box.x + box.w) + e) - e) / a;
  const bottom = (Math.round(d * (box.y + box.h) + f) - f) / d;
  return { x, y, w: right - x, h: bottom - y };
}
