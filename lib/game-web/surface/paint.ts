import { numberIn, textIn } from "../../game/traits/mod.ts";
import type { Rect, TraitFields } from "../../game/types/mod.ts";

/** An affine transform into CSS pixels: a point maps to (ax + cy + e, bx + dy + f). */
export type Frame = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** Something to paint: only values, so that changes can be detected. */
export type Paint = Fill | ImagePaint | Words;

/** Place of a paint. */
export interface PlacedPaint {
  readonly frame: Frame;
  /** Opacity from 0 to 1. */
  readonly alpha: number;
  /** Before `frame`. */
  readonly box: Rect;
}

/** A box of one colour. */
export interface Fill extends PlacedPaint {
  readonly kind: "fill";
  /** `#rrggbb`. */
  readonly color: string;
}

/** An image that fills a box. */
export interface ImagePaint extends PlacedPaint {
  readonly kind: "picture";
  /** The guid of a sprite or texture. */
  readonly image: string;
  /** `#rrggbb`; multiplies its colours. */
  readonly tint: string;
}

/** A text from the top of a box on. */
export interface Words extends PlacedPaint {
  readonly kind: "words";
  readonly text: string;
  /** The guid of a font; `""` for the built-in one. */
  readonly font: string;
  /** Pixels. */
  readonly size: number;
  /** `#rrggbb`. */
  readonly color: string;
  /** Fraction of a line's free space before it: 0, ½ or 1. */
  readonly lead: number;
  /** Lines break before they get wider, in pixels. */
  readonly maxWidth: number;
}

/** The identity frame. */
export const UNMOVED: Frame = [1, 0, 0, 1, 0, 0];

/** A box of a colour such as `#rrggbb` or `#rrggbbaa`. */
export function fillOf(text: string, { alpha, ...placed }: PlacedPaint): Fill {
  const { color, alpha: own } = colorOf(text);
  return { kind: "fill", ...placed, alpha: alpha * own, color };
}

/** The image of a Sprite. */
export function pictureOf(sprite: TraitFields, { alpha, ...placed }: PlacedPaint): ImagePaint {
  const { color: tint, alpha: own } = colorOf(textIn(sprite, "color"));
  const image = textIn(sprite, "image");
  return { kind: "picture", ...placed, alpha: alpha * own, image, tint };
}

/** The words of a Text. @param maxWidth Pixels. */
export function wordsOf(
  text: TraitFields,
  { alpha, ...placed }: PlacedPaint,
  maxWidth: number,
): Words {
  const { color, alpha: own } = colorOf(textIn(text, "color"));
  return {
    kind: "words",
    ...placed,
    alpha: alpha * own,
    text: textIn(text, "text"),
    font: textIn(text, "font"),
    size: numberIn(text, "size", 16),
    color,
    lead: leadOf(text),
    maxWidth,
  };
}

/** Returns the fraction of a line's free space before it. */
export function leadOf(text: TraitFields): number {
  const align = textIn(text, "align");
  return align === "center" ? 0.5 : align === "right" ? 1 : 0;
}

/** A colour and how solid it is, of `#rrggbb` or `#rrggbbaa`. */
function colorOf(text: string): { readonly color: string; readonly alpha: number } {
  const alpha = text.length === 9 ? Number.parseInt(text.slice(7), 16) / 255 : 1;
  return { color: text.slice(0, 7) || "#ffffff", alpha };
}

/** A frame on a canvas. */
export function onCanvas(frame: Frame, pixelRatio: number): Frame {
  const [a, b, c, d, e, f] = frame;
  const r = pixelRatio;
  return [a * r, b * r, c * r, d * r, e * r, f * r];
}

/** Returns the maximum movement of a paint, in CSS pixels; `Infinity` if it is a different one. */
export function shiftOf(was: Paint, is: Paint): number {
  if (was === is) return 0;
  return isAlike(was, is) ? shiftBetween(was.frame, is.frame, is.box) : Infinity;
}

/** Returns the maximum movement of a box from one frame to another. */
export function shiftBetween(was: Frame, is: Frame, { x, y, w, h }: Rect): number {
  const across = Math.max(Math.abs(x), Math.abs(x + w));
  const down = Math.max(Math.abs(y), Math.abs(y + h));
  return Math.max(
    Math.abs(is[0] - was[0]) * across + Math.abs(is[2] - was[2]) * down + Math.abs(is[4] - was[4]),
    Math.abs(is[1] - was[1]) * across + Math.abs(is[3] - was[3]) * down + Math.abs(is[5] - was[5]),
  );
}

/** Whether two are the same but for their frames. */
function isAlike(a: Paint, b: Paint): boolean {
  if (a.alpha !== b.alpha || a.box.x !== b.box.x || a.box.y !== b.box.y) return false;
  if (a.box.w !== b.box.w || a.box.h !== b.box.h) return false;
  switch (a.kind) {
    case "fill":
      return b.kind === "fill" && a.color === b.color;
    case "picture":
      return b.kind === "picture" && a.image === b.image && a.tint === b.tint;
    case "words":
      return b.kind === "words" && a.text === b.text && a.font === b.font && a.size === b.size &&
        a.color === b.color && a.lead === b.lead && a.maxWidth === b.maxWidth;
  }
}
