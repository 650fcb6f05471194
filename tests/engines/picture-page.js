// What a page does that draws one scene of a project: bundled for the browser, called by the tests.
import { createPicture } from "../../lib/game-web/picture/mod.ts";
import { openContent } from "../../lib/game-web/content/mod.ts";
import { EntityDocument } from "../../lib/game/scene/mod.ts";
import { RunningGame } from "../../lib/game/play/mod.ts";

/** Opens the game below the page, at a size in CSS pixels. */
export async function openGame({ width, height, scene, warnings = [] }) {
  const opened = await openContent(new URL("./", location.href).href, (url) => fetch(url));
  if (!opened.ok) throw new Error(opened.error.detail);
  const { game, content } = opened.value;
  const read = await content.readScene(scene ?? game.startScene);
  if (!read.ok) throw new Error(read.error.detail);
  const document_ = new EntityDocument(read.value.entities, undefined, content);
  const host = {
    clock: { now: Date.now, monotonic: () => performance.now(), sleep: () => Promise.resolve() },
    document: document_,
    journals: { noteGame() {}, noteTimeline() {} },
    console: { write: (_level, text) => warnings.push(text) },
    round: 0,
    nextPlayRev: 1,
    playing: null,
    playingScene: null,
  };
  const running = await RunningGame.start(host, content, () => {});
  const canvas = document.createElement("canvas");
  canvas.style.cssText = `width: ${width}px; height: ${height}px; display: block`;
  document.body.append(canvas);
  const picture = createPicture(canvas, content, { warn: (text) => warnings.push(text) });
  const show = (elapsed = 0) =>
    picture.show({
      game: running.game,
      layout: { entries: [] },
      screen: { width, height, pixelRatio: 1 },
      elapsed,
      pressed: null,
      paused: false,
    });
  const whole = async () => {
    show();
    await picture.whole();
    show();
  };
  return { running, picture, canvas, show, whole, content, warnings };
}

/** The picture as it is now: its pixels have to be read in the task that drew them. */
export function pixelsOf(canvas) {
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const pen = copy.getContext("2d", { willReadFrequently: true });
  pen.drawImage(canvas, 0, 0);
  return pen.getImageData(0, 0, copy.width, copy.height);
}

/** The smallest rectangle around pixels that are not of the colour in the corner; `null` for none. */
export function drawnBox({ data, width, height }, tolerance = 8) {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const differs = [0, 1, 2].some((c) => Math.abs(data[at + c] - data[c]) > tolerance);
      if (!differs) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  return right < 0 ? null : { x: left, y: top, w: right + 1 - left, h: bottom + 1 - top };
}

/** A PNG of a canvas, in base64. */
export function pngOf(canvas) {
  return canvas.toDataURL("image/png").split(",")[1];
}

globalThis.pictures = { openGame, pixelsOf, drawnBox, pngOf };
