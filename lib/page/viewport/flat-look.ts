import type { Viewport, WorldBounds } from "../../editor/ports/mod.ts";

// How the 2D and UI layers are looked at: which part of the game's screen, and how large. Pure.

/** What is seen of a screen. */
export interface FlatLook {
  /** What is in the middle, in pixels of the screen. */
  readonly x: number;
  readonly y: number;
  /** CSS pixels for one of the screen. */
  readonly scale: number;
}

/** Times its size that a screen is seen at least and at most. */
const SMALLEST = 0.02;
const LARGEST = 32;
/** What is framed is seen so large at most: a dot is not to fill the picture. */
const FRAMED = 4;
/** The share of the picture that what is framed takes. */
const FILLS = 0.8;

/** All of a screen, as large as it can be: what is seen while nobody has looked elsewhere. */
export function fitting(box: Viewport, made: Viewport): FlatLook {
  const scale = Math.min(box.width / made.width, box.height / made.height);
  return { x: made.width / 2, y: made.height / 2, scale };
}

/**
 * Larger or smaller; what is at a point of the box stays there.
 *
 * @param at From the top left of the box, in CSS pixels.
 */
export function zoomed(
  look: FlatLook,
  box: Viewport,
  at: { readonly x: number; readonly y: number },
  factor: number,
): FlatLook {
  const scale = Math.min(LARGEST, Math.max(SMALLEST, look.scale * factor));
  const kept = 1 / look.scale - 1 / scale;
  return {
    x: look.x + (at.x - box.width / 2) * kept,
    y: look.y + (at.y - box.height / 2) * kept,
    scale,
  };
}

/** Moved by a drag of so many CSS pixels; the screen is never lost out of sight. */
export function shifted(look: FlatLook, made: Viewport, dx: number, dy: number): FlatLook {
  const within = (wanted: number, size: number) =>
    Math.min(size * 1.5, Math.max(-size / 2, wanted));
  return {
    ...look,
    x: within(look.x - dx / look.scale, made.width),
    y: within(look.y - dy / look.scale, made.height),
  };
}

/** All of a part of the screen in sight. @param bounds In its pixels. */
export function showing({ min, max }: WorldBounds, box: Viewport): FlatLook {
  const [width, height] = [Math.max(1, max[0] - min[0]), Math.max(1, max[1] - min[1])];
  const fits = FILLS * Math.min(box.width / width, box.height / height);
  return {
    x: (min[0] + max[0]) / 2,
    y: (min[1] + max[1]) / 2,
    scale: Math.max(SMALLEST, Math.min(FRAMED, fits)),
  };
}
