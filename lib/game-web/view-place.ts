import type { Viewport } from "../game/types/mod.ts";
import type { GameScreen } from "./content/mod.ts";

/** Pixels of the picture for one of CSS, at most: more is not seen, and costs. */
const MAX_PIXEL_RATIO = 3;

/** Where a screen lies in the box that shows it. */
export interface ViewPlace {
  readonly screen: GameScreen;
  /** CSS pixels from the left edge of the box. */
  readonly left: number;
  /** CSS pixels from its top. */
  readonly top: number;
  /** CSS pixels for one of the screen. */
  readonly scale: number;
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

/** A screen of a size of its own, whole, in the middle, and as large as it can be. */
export function fittingPlace(box: Viewport, made: Viewport, pixelRatio: number): ViewPlace {
  const [width, height] = [Math.max(1, box.width), Math.max(1, box.height)];
  const scale = Math.min(width / made.width, height / made.height);
  return {
    screen: {
      width: made.width,
      height: made.height,
      pixelRatio: scale * Math.min(pixelRatio, MAX_PIXEL_RATIO),
    },
    left: (width - made.width * scale) / 2,
    top: (height - made.height * scale) / 2,
    scale,
  };
}
