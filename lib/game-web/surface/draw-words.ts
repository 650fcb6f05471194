import { advanceOf, BUILT_IN_FONT, type FontMetrics, textLines } from "../../game/assets/mod.ts";
import type { Rect } from "../../game/types/mod.ts";
import type { Brush } from "./brush.ts";
import { drawPart } from "./draw-part.ts";
import type { Frame, Words } from "./paint.ts";

/** Fonts whose glyphs have the width of the built-in metrics: 0.6 of their size. */
const BUILT_IN_FAMILY = 'ui-monospace, Menlo, "Roboto Mono", "DejaVu Sans Mono", monospace';
/** For fonts without glyphs of their own. */
const OTHER_FAMILY = "system-ui, sans-serif";

/**
 * Draws a text line by line; each fills exactly the width that the layout has measured.
 *
 * @param frame The transform that the context has.
 */
export function drawWords(brush: Brush, paint: Words, frame: Frame): void {
  const { text, size, maxWidth, lead, box } = paint;
  const font = brush.details.get(paint.font)?.font ?? BUILT_IN_FONT;
  const height = font.lineHeight * (size / font.size);
  for (const [index, { words, width }] of textLines({ text, font, size, maxWidth }).entries()) {
    const x = box.x + lead * (box.w - width);
    const line = { x, y: box.y + index * height, w: width, h: height };
    if (font.glyphs === undefined) drawLetters(brush, { words, paint, font, line });
    else drawGlyphs(brush, { words, paint, font, line, frame });
  }
}

interface Line {
  readonly words: string;
  readonly paint: Words;
  readonly font: FontMetrics;
  readonly line: Rect;
}

/** Draws letters of the browser, made as wide as the line. */
function drawLetters(
  { context, faces }: Brush,
  { words, paint, font, line: { x, y, w, h } }: Line,
): void {
  const { size, color } = paint;
  const family = faces.of(paint.font) ?? (font === BUILT_IN_FONT ? BUILT_IN_FAMILY : OTHER_FAMILY);
  context.font = `${size}px ${family}`;
  context.textBaseline = "alphabetic";
  context.fillStyle = color;
  const { width, fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = context.measureText(
    words,
  );
  if (width === 0) return;
  context.save();
  context.translate(x, y + (h + up - down) / 2);
  context.scale(w / width, 1);
  context.fillText(words, 0, 0);
  context.restore();
}

/**
 * Draws the glyphs of a font's picture at the pen's positions, and missing ones in the system's
 * font.
 */
function drawGlyphs(
  brush: Brush,
  { words, paint, font, line, frame }: Line & { readonly frame: Frame },
): void {
  const { context, images, tints } = brush;
  const { glyphs } = font;
  const atlas = glyphs === undefined ? null : images.of(glyphs.texture);
  if (glyphs === undefined || atlas === null) return;
  const letters = tints.of(atlas, paint.color);
  const scale = paint.size / font.size;
  const { width, height, columns, cells } = glyphs;
  const top = line.y + (line.h - height * scale) / 2;
  let pen = line.x;
  for (const character of words) {
    const advance = advanceOf(character, font) * scale;
    const cell = cells.get(character) ?? cells.get(character.toUpperCase());
    if (cell !== undefined) {
      const [x, y] = [cell % columns * width, Math.floor(cell / columns) * height];
      const box = { x: pen, y: top, w: width * scale, h: height * scale };
      drawPart(context, { ...letters, part: { x, y, w: width, h: height } }, { box, frame });
    } else if (character.trim() !== "") {
      const place = { ...line, x: pen, w: advance };
      drawLetters(brush, { words: character, paint, font, line: place });
    }
    pen += advance;
  }
}
