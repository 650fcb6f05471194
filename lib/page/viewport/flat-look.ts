import type { Viewport, WorldBounds } from "../../editor/ports/mod.ts";

// The view of the 2D and UI layers: the visible part of the game's screen, and its scale. Pure.

/** The visible part of a screen. */
export interface FlatView {
  /** The centre, in pixels of the screen. */
  readonly x: number;
  readonly y: number;
  /** CSS pixels for one of the screen. */
  readonly scale: number;
}

/** Minimum and maximum scale of a screen. */
const SMALLEST = 0.02;
const LARGEST = 32;
/** Maximum scale when framing: a dot must not fill the viewport. */
const FRAMED = 4;
/** Fraction of the viewport that framed things fill. */
const FILLS = 0.8;

/** Returns the default view: the whole screen at the largest scale that fits. */
export function fitting(box: Viewport, made: Viewport): FlatView {
  const scale = Math.min(box.width / made.width, box.height / made.height);
  return { x: made.width / 2, y: made.height / 2, scale };
}

/**
 * Changes the scale; the point at `at` stays in place.
 *
 * @param at From the top left of the box, in CSS pixels.
 */
export function zoomed(
  look: FlatView,
  box: Viewport,
  at: { readonly x: number; readonly y: number },
  factor: number,
): FlatView {
  const scale = Math.min(LARGEST, Math.max(SMALLEST, look.scale * factor));
  const kept = 1 / look.scale - 1 / scale;
  return {
    x: look.x + (at.x - box.width / 2) * kept,
    y: look.y + (at.y - box.height / 2) * kept,
    scale,
  };
}

/** Moves the view by a drag in CSS pixels; part of the screen always stays visible. */
export function shifted(look: FlatView, made: Viewport, dx: number, dy: number): FlatView {
  const within = (centre: number, size: number) =>
    Math.min(size * 1.5, Math.max(-size / 2, centre));
  return {
    ...look,
    x: within(look.x - dx / look.scale, made.width),
    y: within(look.y - dy / look.scale, made.height),
  };
}

/** Frames a part of the screen. @param bounds In its pixels. */
export function showing({ min, max }: WorldBounds, box: Viewport): FlatView {
  const [width, height] = [Math.max(1, max[0] - min[0]), Math.max(1, max[1] - min[1])];
  const fits = FILLS * Math.min(box.width / width, box.height / height);
  return {
    x: (min[0] + max[0]) / 2,
    y: (min[1] + max[1]) / 2,
    scale: Math.max(SMALLEST, Math.min(FRAMED, fits)),
  };
}
