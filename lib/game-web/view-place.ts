import type { Rect, Viewport } from "../game/types/mod.ts";
import type { GameScreen } from "./content/mod.ts";

/** Maximum picture pixels per CSS pixel: more are invisible and expensive. */
const MAX_PIXEL_RATIO = 3;
/** Maximum picture pixels per side: in a closer view, the browser enlarges the picture. */
const MAX_SIDE = 4_096;

/** A part of a screen that is looked at, nearer or from farther away. */
export interface FlatLook {
  /** The centre of the box, in pixels of the screen. */
  readonly x: number;
  readonly y: number;
  /** CSS pixels for one of the screen; above 0. */
  readonly scale: number;
}

/** Place of a screen in the box that shows it. */
export interface ViewPlace {
  readonly screen: GameScreen;
  /** CSS pixels from the left edge of the box. */
  readonly left: number;
  /** CSS pixels from its top. */
  readonly top: number;
  /** CSS pixels for one of the screen. */
  readonly scale: number;
}

/** A point in CSS pixels of the box, or in pixels of the screen. */
export interface ViewPoint {
  readonly x: number;
  readonly y: number;
}

/** Converts a point of the screen to one of the box. */
export function pointInBox({ left, top, scale }: ViewPlace, { x, y }: ViewPoint): ViewPoint {
  return { x: left + x * scale, y: top + y * scale };
}

/** Converts a point of the box to one of the screen. */
export function pointOnScreen({ left, top, scale }: ViewPlace, { x, y }: ViewPoint): ViewPoint {
  return { x: (x - left) / scale, y: (y - top) / scale };
}

/** Converts a rectangle of the screen to one of the box. */
export function rectInBox(place: ViewPlace, rect: Rect): Rect {
  return { ...pointInBox(place, rect), w: rect.w * place.scale, h: rect.h * place.scale };
}

/** A screen as large as the box. */
export function fillingPlace({ width, height }: Viewport, pixelRatio: number): ViewPlace {
  const screen = {
    width: Math.max(1, width),
    height: Math.max(1, height),
    pixelRatio: Math.min(pixelRatio, MAX_PIXEL_RATIO),
  };
  return { screen, left: 0, top: 0, scale: 1 };
}

/** Places a complete screen in the centre, as large as possible. */
export function fittingPlace(box: Viewport, made: Viewport, pixelRatio: number): ViewPlace {
  const [width, height] = [Math.max(1, box.width), Math.max(1, box.height)];
  const scale = Math.min(width / made.width, height / made.height);
  return lookedAtPlace(box, made, { x: made.width / 2, y: made.height / 2, scale }, pixelRatio);
}

/** A screen of a size of its own as it is looked at: parts of it may be outside the box. */
export function lookedAtPlace(
  box: Viewport,
  { width, height }: Viewport,
  { x, y, scale }: FlatLook,
  pixelRatio: number,
): ViewPlace {
  const sharp = scale * Math.min(pixelRatio, MAX_PIXEL_RATIO);
  return {
    screen: { width, height, pixelRatio: Math.min(sharp, MAX_SIDE / Math.max(width, height)) },
    left: Math.max(1, box.width) / 2 - x * scale,
    top: Math.max(1, box.height) / 2 - y * scale,
    scale,
  };
}
