import type { Canvas, Document, Element } from "./page.ts";
import type { BridgeAsk, PagePoint, PageScreen } from "./protocol.ts";
import type { AskOutcome, BridgeHost } from "./session.ts";

// An editor's actions on a page: captures its canvases, touches it, and runs scripts in it.

declare const document: Document;
declare const innerWidth: number;
declare const innerHeight: number;
declare const devicePixelRatio: number;
declare const screen: { readonly orientation?: { readonly angle: number } };
declare const PointerEvent: new (type: string, init: object) => object;
declare function requestAnimationFrame(call: () => void): number;
declare function setTimeout(call: () => void, ms: number): number;

/** Pixels of the largest picture: a page that is larger is shown smaller. */
const MAX_PIXELS = 16 * 1024 * 1024;
/** A pointer that no browser numbers so. */
const POINTER = 2_147_483_000;
/** How long a tapping finger stays down, in milliseconds. */
const TAP_MS = 50;
/** Moves of a finger for each second. */
const MOVES_A_SECOND = 60;

/**
 * Creates the host of a page. @param draw Draws a frame and calls back in the same turn, since
 * WebGL keeps none.
 */
export function pageHost(draw: (look: () => void) => Promise<void>): BridgeHost {
  return {
    async does(ask: BridgeAsk): Promise<AskOutcome> {
      switch (ask.do) {
        case "screen":
          return { ok: true, screen: pageScreen() };
        case "screenshot":
          return await screenshot(draw);
        case "touch":
          return await touch(ask);
        case "eval":
          return { ok: true, text: String(await runScript(ask.script)) };
      }
    },
  };
}

/** Waits for the next frame, for a page that does not say how it draws. */
export function afterFrame(look: () => void): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      look();
      resolve();
    });
  });
}

function pageScreen(): PageScreen {
  const angle = screen.orientation?.angle ?? (innerWidth > innerHeight ? 90 : 0);
  return { width: innerWidth, height: innerHeight, rotation: angle };
}

async function screenshot(draw: (look: () => void) => Promise<void>): Promise<AskOutcome> {
  const drawn = document.createElement("canvas");
  let seen = pageScreen();
  await draw(() => {
    seen = pageScreen();
    compose(drawn, seen);
  });
  const blob = await new Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>((resolve) =>
    drawn.toBlob(resolve, "image/png")
  );
  if (blob === null) throw new Error("the page could not make a PNG file of its canvases");
  return { ok: true, screen: seen, picture: true, bytes: new Uint8Array(await blob.arrayBuffer()) };
}

/** Draws all canvases of the page at their places, in device pixels. */
function compose(onto: Canvas, { width, height }: PageScreen): void {
  const ratio = Math.min(devicePixelRatio, Math.sqrt(MAX_PIXELS / (width * height)));
  onto.width = Math.max(1, Math.round(width * ratio));
  onto.height = Math.max(1, Math.round(height * ratio));
  const brush = onto.getContext("2d");
  if (brush === null) throw new Error("the page has no 2D canvas");
  brush.fillStyle = "#000";
  brush.fillRect(0, 0, onto.width, onto.height);
  const [across, down] = [onto.width / width, onto.height / height];
  const canvases = document.querySelectorAll("canvas");
  for (let index = 0; index < canvases.length; index++) {
    const canvas = canvases[index];
    if (canvas === undefined || canvas.width === 0 || canvas.height === 0) continue;
    const { left, top, width: w, height: h } = canvas.getBoundingClientRect();
    if (w > 0 && h > 0) brush.drawImage(canvas, left * across, top * down, w * across, h * down);
  }
}

/** A finger along a path. The page's own code hears of it as of any other. */
async function touch(
  { path, durationMs, screen: expected }: BridgeAsk & { readonly do: "touch" },
): Promise<AskOutcome> {
  const now = pageScreen();
  if (
    now.width !== expected.width || now.height !== expected.height ||
    now.rotation !== expected.rotation
  ) {
    const detail = `the page is ${now.width} × ${now.height} at ${now.rotation}° now`;
    return { ok: false, code: "screen-changed", detail };
  }
  const first = path[0] ?? { x: 0, y: 0 };
  const target = document.elementFromPoint(first.x, first.y) ?? document.body;
  if (target === null) throw new Error("the page has nothing to touch");
  fire(target, "pointerdown", first);
  if (path.length === 1) {
    await pause(TAP_MS);
  } else {
    const moves = Math.max(path.length - 1, Math.round(durationMs / 1000 * MOVES_A_SECOND));
    for (let move = 1; move <= moves; move++) {
      await pause(durationMs / moves);
      fire(target, "pointermove", along(path, move / moves));
    }
  }
  const last = path[path.length - 1] ?? first;
  fire(target, "pointerup", last);
  // A browser turns press and release into a click, and buttons listen only for that.
  if (path.length === 1) fire(target, "click", last);
  return { ok: true, done: true };
}

function along(path: readonly PagePoint[], share: number): PagePoint {
  const at = share * (path.length - 1);
  const index = Math.min(Math.floor(at), path.length - 2);
  const [from, to] = [path[index], path[index + 1]];
  if (from === undefined || to === undefined) return path[path.length - 1] ?? { x: 0, y: 0 };
  const rest = at - index;
  return { x: from.x + (to.x - from.x) * rest, y: from.y + (to.y - from.y) * rest };
}

function fire(target: Element, type: string, { x, y }: PagePoint): void {
  const isUp = type === "pointerup" || type === "click";
  target.dispatchEvent(
    new PointerEvent(type, {
      bubbles: true,
      cancelable: true,
      composed: true,
      pointerId: POINTER,
      pointerType: "touch",
      isPrimary: true,
      button: type === "pointermove" ? -1 : 0,
      buttons: isUp ? 0 : 1,
      pressure: isUp ? 0 : 0.5,
      clientX: x,
      clientY: y,
      screenX: x,
      screenY: y,
    }),
  );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Runs a script of a paired editor, outside of every function of ours. */
async function runScript(script: string): Promise<unknown> {
  const run: unknown = Reflect.get(globalThis, "eval");
  if (typeof run !== "function") throw new Error("the page runs no scripts");
  const result: unknown = await run.call(undefined, script);
  return result;
}
