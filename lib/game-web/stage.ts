import type { Viewport } from "../game/types/mod.ts";
import type { GameScreen } from "./content/mod.ts";

/** Maximum picture pixels per CSS pixel: more are invisible and expensive. */
const MAX_PIXEL_RATIO = 3;

/** The part of the page that a game is shown in. */
export interface PageStage {
  readonly element: HTMLElement;
  /** The 3D layer. */
  readonly picture: HTMLCanvasElement;
  /** The 2D and UI layers, above it. */
  readonly surface: HTMLCanvasElement;
  /** Its size now, in the game's pixels. */
  screen(): GameScreen;
}

/**
 * Creates the canvases of a game, within the safe area of the screen. @param made The screen for
 * which it is designed.
 */
export function createStage(body: HTMLElement, made: Viewport): PageStage {
  const element = document.createElement("main");
  const [picture, surface] = [canvasOf("picture"), canvasOf("surface")];
  element.id = "game";
  element.append(picture, surface);
  body.prepend(element);
  // Cached, because it is read in each frame, where measuring would force a layout of the page.
  let box: Viewport | null = null;
  const forget = () => void (box = null);
  new ResizeObserver(forget).observe(element);
  addEventListener("resize", forget); // runs before the frame, an observer after it
  return {
    element,
    picture,
    surface,
    screen() {
      box ??= { width: element.clientWidth, height: element.clientHeight };
      return screenOf(box, made, devicePixelRatio);
    },
  };
}

/**
 * Computes the screen of a game in a box of the page: the designed screen is always completely
 * visible, as large as possible; a box of another shape shows more at the sides, or above and
 * below.
 *
 * @param box CSS pixels.
 */
function screenOf(box: Viewport, made: Viewport, devicePixelRatio: number): GameScreen {
  const width = Math.max(1, box.width);
  const height = Math.max(1, box.height);
  const scale = Math.min(width / made.width, height / made.height);
  return {
    width: Math.round(width / scale),
    height: Math.round(height / scale),
    pixelRatio: scale * Math.min(devicePixelRatio, MAX_PIXEL_RATIO),
  };
}

function canvasOf(id: string): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.id = id;
  return canvas;
}
