// What a page does that shows the flat layers of a game: bundled for the browser, called by the tests.
import { loadYoga } from "yoga-layout/load";
import { openContent } from "../../lib/game-web/content/mod.ts";
import { GameViews } from "../../lib/game-web/game-views.ts";
import { PageLayout } from "../../lib/game-web/screen-layout.ts";
import { createSurface } from "../../lib/game-web/surface/mod.ts";
import { PAGE_CLOCK } from "../../lib/game-web/page-clock.ts";
import { RunningGame, SceneHost } from "../../lib/game/play/mod.ts";
import { openSavedValues } from "../../lib/game/world/mod.ts";

/**
 * Opens a scene of the game below the page, at a size in CSS pixels.
 *
 * @param options.isRead Whether the canvas itself is read; otherwise only by {@linkcode copiedPixels}.
 */
export async function openSurface({ scene, width, height, pixelRatio = 1, isRead = true }) {
  const warnings = [];
  console.warn = (text) => warnings.push(text);
  const opened = await openContent(new URL("./", location.href).href, (url) => fetch(url));
  if (!opened.ok) throw new Error(opened.error.detail);
  const { content } = opened.value;
  const host = await SceneHost.open(content, scene, {
    clock: PAGE_CLOCK,
    viewport: { width, height },
    saved: openSavedValues({ getItem: () => null, setItem() {} }, "", console.warn),
    console: { write: (_level, text) => warnings.push(text) },
  });
  if (!host.ok) throw new Error(host.error.detail);
  const running = await RunningGame.start(host.value, content);
  const canvas = document.createElement("canvas");
  document.body.append(canvas);
  // A canvas that is read often is drawn by other code from some reading on, whose edges are others.
  if (isRead) canvas.getContext("2d", { willReadFrequently: true });
  const surface = createSurface(canvas, content);
  const views = new GameViews({
    picture: { show() {} }, // of what lies below nothing is looked at
    surface,
    layout: new PageLayout(await loadYoga(), content.details),
  });
  const screen = { width, height, pixelRatio };
  const show = (more = {}) => {
    const { game } = running;
    return views.show({ game, screen, elapsed: 0, pressed: [], paused: false, ...more }).layout;
  };
  const layout = show();
  await surface.whenLoaded();
  return { running, surface, canvas, show, warnings, layout };
}

/** `#rrggbbaa` of the pixel at a point of the canvas. */
export function colorAt(canvas, x, y) {
  const { data } = canvas.getContext("2d").getImageData(x, y, 1, 1);
  return `#${[...data].map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * The pixels of a canvas by way of a copy. A browser that draws by its graphics card continues so: it
 * changes to other code, which draws corners differently, when a canvas is read, and back when a
 * picture from the card is drawn on it.
 */
export function copiedPixels(canvas) {
  const { width, height } = canvas;
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [width, height];
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  return context.getImageData(0, 0, width, height).data;
}

/** Of 255: what edges that are smoothed leave beside them. */
const FAINT = 24;

/** The smallest rectangle around what is not empty; `null` for an empty canvas. */
export function drawnBox(canvas) {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (data[(y * width + x) * 4 + 3] < FAINT) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  return right < 0 ? null : { x: left, y: top, w: right + 1 - left, h: bottom + 1 - top };
}

/** How often a canvas was drawn anew while `work` ran. */
export function drawsOf(canvas, work) {
  const context = canvas.getContext("2d");
  const clear = context.clearRect;
  let draws = 0;
  context.clearRect = (...box) => {
    draws++;
    clear.apply(context, box);
  };
  work();
  delete context.clearRect;
  return draws;
}

globalThis.page = { openSurface, colorAt, copiedPixels, drawnBox, drawsOf };
