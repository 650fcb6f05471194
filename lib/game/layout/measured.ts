import type { AssetDetails } from "../assets/details.ts";
import type { Entity } from "../types/mod.ts";
import { numberIn, textIn } from "../traits/value.ts";
import { BUILT_IN_FONT, measureText } from "../assets/font.ts";

/** Width and height in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the size of an entity's Sprite: its own if set, otherwise its image's; `null` without
 * either.
 */
export function spriteSize(entity: Entity, details: AssetDetails): Size | null {
  const sprite = entity.traits["Sprite"];
  if (sprite === undefined) return null;
  const image = details.get(textIn(sprite, "image"))?.pixels;
  const width = numberIn(sprite, "width") || image?.width;
  const height = numberIn(sprite, "height") || image?.height;
  return width === undefined || height === undefined ? null : { width, height };
}

/** The size of an entity's Text within a width; `null` without one. */
export function textSize(entity: Entity, details: AssetDetails, maxWidth: number): Size | null {
  const text = entity.traits["Text"];
  if (text === undefined) return null;
  return measureText({
    text: textIn(text, "text"),
    font: details.get(textIn(text, "font"))?.font ?? BUILT_IN_FONT,
    size: numberIn(text, "size", 16),
    maxWidth,
  });
}
