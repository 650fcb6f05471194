import type { SceneView } from "../../game-web/mod.ts";
import { whilePlayed } from "../model/game.ts";
import { isGame } from "./look.ts";

// Sends the user's input to the editor's game, by the tools with which agents play, in order. The
// displayed game receives it from the editor.

/** Maximum pointers that the tool distinguishes. */
const MOST_POINTERS = 16;

/** A point beyond the screen. */
const OUTSIDE = { x: -1_000, y: -1_000 };

interface Sent {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** A move: only a pointer's newest one matters. */
  readonly isMove: boolean;
}

/** Handles a player's input while a game is shown, until the returned function is called. */
export function listenToPlayer(
  view: SceneView,
  main: HTMLElement,
  pointOf: (event: MouseEvent) => { readonly x: number; readonly y: number },
): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const waiting: Sent[] = [];
  let isSending = false;
  const keys = new Set<string>();
  /** Pressed pointers: the browser's ids and the game's. */
  const down = new Map<
    number,
    { readonly pointer: number; readonly x: number; readonly y: number }
  >();

  const flush = async () => {
    if (isSending) return;
    isSending = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await whilePlayed(next.tool, next.args);
    }
    isSending = false;
  };
  const send = (sent: Sent) => {
    const last = waiting.at(-1);
    const isNewer = sent.isMove && last?.isMove === true &&
      last.args["pointer"] === sent.args["pointer"];
    if (isNewer) waiting.pop();
    waiting.push(sent);
    void flush();
  };
  const key = (code: string, phase: "down" | "up") =>
    send({ tool: "press_key", args: { code, phase }, isMove: false });
  const point = (id: number, phase: "down" | "move" | "up" | "cancel") => {
    const at = down.get(id);
    if (at !== undefined && phase === "cancel") {
      // Releases it at a place where nothing reacts.
      return send({ tool: "tap", args: { ...at, ...OUTSIDE, phase: "up" }, isMove: false });
    }
    if (at !== undefined) send({ tool: "tap", args: { ...at, phase }, isMove: phase === "move" });
  };
  const release = () => {
    for (const code of keys) key(code, "up");
    keys.clear();
    for (const id of down.keys()) point(id, "cancel");
    down.clear();
  };

  main.addEventListener("keydown", (event) => {
    const { code, target, ctrlKey, metaKey, repeat } = event;
    if (!isGame.value || target !== main || code === "" || code === "Tab") return;
    if (code === "Escape") {
      event.stopPropagation();
      return main.blur();
    }
    if ((ctrlKey || metaKey) && !/^(Control|Meta)/.test(code)) return;
    // It is the game's, and no shortcut of the page.
    event.preventDefault();
    event.stopPropagation();
    if (repeat || keys.has(code)) return;
    keys.add(code);
    key(code, "down");
  }, { signal });
  main.addEventListener("keyup", ({ code }) => {
    if (keys.delete(code)) key(code, "up");
  }, { signal });
  main.addEventListener("pointerdown", (event) => {
    const { target, pointerId, button } = event;
    const isPages = target instanceof Element && target.closest("button") !== null;
    if (!isGame.value || isPages || button !== 0 || down.has(pointerId)) return;
    main.focus({ preventScroll: true });
    event.preventDefault();
    main.setPointerCapture(pointerId);
    const used = new Set([...down.values()].map(({ pointer }) => pointer));
    const pointer = Array.from({ length: MOST_POINTERS }, (_, n) => n).find((n) => !used.has(n));
    if (pointer === undefined) return;
    down.set(pointerId, { pointer, ...gamePoint(event) });
    point(pointerId, "down");
  }, { signal });
  main.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (before === undefined) return;
    down.set(event.pointerId, { ...before, ...gamePoint(event) });
    point(event.pointerId, "move");
  }, { signal });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
    main.addEventListener(name, ({ pointerId }) => {
      point(pointerId, name === "pointerup" ? "up" : "cancel");
      down.delete(pointerId);
    }, { signal });
  }
  main.addEventListener("wheel", (event) => {
    if (!isGame.value || document.activeElement !== main) return;
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    send({
      tool: "tap",
      args: { ...gamePoint(event), wheel: event.deltaY * lines },
      isMove: false,
    });
  }, { signal, passive: false });
  main.addEventListener("blur", release, { signal });
  addEventListener("blur", release, { signal });

  function gamePoint(event: MouseEvent) {
    const { x, y } = pointOf(event);
    const at = view.measures.toGame(x, y);
    return { x: Math.round(at.x * 100) / 100, y: Math.round(at.y * 100) / 100 };
  }
  return () => {
    release();
    ended.abort();
  };
}
