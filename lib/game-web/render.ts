import { encodeUtf8 } from "../core/bytes.ts";
import { messageOf } from "../core/result.ts";
import type { RenderReport, RenderTask, StripTask } from "../game/types/mod.ts";
import { compared } from "./render-compare.ts";
import { canvasOf, filesOf, pictureAt, scaledTo } from "./render-pixels.ts";
import { SceneDrawing } from "./render-scene.ts";
import { readTask } from "./render-task.ts";

// The page that draws captures: it takes tasks from its service one after another, and posts the
// pictures. Its address ends in a one-time ticket; a reloaded page has its key in a cookie.

const BASE = new URL("./", document.baseURI).href;
/** Header that identifies a script's request; requests that a browser makes by itself lack it. */
const CALLER = { "x-svc-caller": "agent" };
/** Maximum sentences about things that could not be drawn. */
const MAX_WARNINGS = 10;

interface Done {
  readonly report: RenderReport;
  readonly files: readonly Blob[];
}

let drawing: { readonly round: string; readonly scene: SceneDrawing } | null = null;

await join();
// An open connection tells the service that this page is open, even while it draws and sends
// nothing.
const presence = new EventSource(`${BASE}presence`);
await new Promise((known) => presence.onopen = presence.onerror = known);
try {
  await work();
  say("This page no longer draws captures. Slipway prints another address for them.");
} catch {
  say("Slipway has stopped. Start it again, and open the address that it prints.");
}
presence.close();

async function join(): Promise<void> {
  const ticket = location.hash.slice(1);
  if (ticket === "") return;
  history.replaceState(null, "", location.pathname);
  await fetch(`${BASE}join`, {
    method: "POST",
    headers: { ...CALLER, "content-type": "application/json" },
    body: JSON.stringify({ ticket }),
  });
}

/** Draws tasks until the service refuses further ones. */
async function work(): Promise<void> {
  for (let drawn = 0;;) {
    say(`Slipway draws captures here while this window is open: ${drawn} so far.`);
    const asked = await fetch(`${BASE}work`, { headers: CALLER });
    if (!asked.ok) return;
    if (asked.status === 204) continue;
    const read = readTask(new Uint8Array(await asked.arrayBuffer()));
    if (read === null) return;
    say(`Slipway draws a capture here, the ${drawn + 1}. of this window.`);
    const { report, files } = await done(read.task);
    const head = JSON.stringify({ sizes: files.map(({ size }) => size), report });
    await fetch(`${BASE}answers/${read.id}`, {
      method: "POST",
      headers: { ...CALLER, "content-type": "application/octet-stream" },
      body: new Blob([encodeUtf8(`${head}\n`), ...files]),
    });
    drawn++;
  }
}

function say(text: string): void {
  document.body.textContent = text;
}

async function done(task: RenderTask): Promise<Done> {
  try {
    return await result(task);
  } catch (thrown) {
    drawing?.scene.dispose();
    drawing = null;
    return { report: { error: messageOf(thrown) }, files: [] };
  }
}

async function result(task: RenderTask): Promise<Done> {
  switch (task.kind) {
    case "draw": {
      const scene = await sceneOf(task.round);
      const files = await filesOf(await scene.draw(task), task.inline);
      const warnings = scene.warnings.slice(0, MAX_WARNINGS);
      return { report: { ...(warnings.length > 0 && { warnings }) }, files };
    }
    case "strip":
      return { report: {}, files: await filesOf(await strip(task)) };
    case "compare": {
      const { before, after, inline } = task;
      const { comparison, picture } = compared(await capture(before), await capture(after), task);
      return { report: { comparison }, files: await filesOf(picture, inline) };
    }
  }
}

/** Returns the drawing of a round; a new round uses the project's current assets. */
async function sceneOf(round: string): Promise<SceneDrawing> {
  if (drawing?.round === round) return drawing.scene;
  drawing?.scene.dispose();
  drawing = null;
  const scene = await SceneDrawing.open(`${BASE}content/`);
  drawing = { round, scene };
  return scene;
}

function capture(name: string): Promise<HTMLCanvasElement> {
  return pictureAt(`${BASE}captures/${encodeURIComponent(name)}`);
}

/** Pictures of one size, row by row. */
async function strip({ pictures, columns, longest }: StripTask): Promise<HTMLCanvasElement> {
  const rows = Math.ceil(pictures.length / columns);
  const [first, ...rest] = pictures;
  if (first === undefined) throw new TypeError("there are no pictures");
  const sample = await capture(first);
  const side = Math.max(sample.width * columns, sample.height * rows);
  const scale = Math.min(1, longest / side);
  const [width, height] = [sample.width * scale, sample.height * scale];
  const { canvas, context } = canvasOf({ width: width * columns, height: height * rows });
  context.imageSmoothingQuality = "high";
  let index = 0;
  for (const name of [first, ...rest]) {
    const picture = name === first ? sample : await capture(name);
    const [x, y] = [index % columns * width, Math.floor(index / columns) * height];
    context.drawImage(scaledTo(picture, Math.max(width, height)), x, y, width, height);
    index++;
  }
  return canvas;
}
