import { MAX_POINTERS } from "../../game/play/mod.ts";
import { type Hearing, pointOf, type ScreenListener } from "./screen.ts";

interface Down {
  /** Index of the pointer in the game. */
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

/** Listens to fingers, pens and the main button of the mouse. */
export function listenToPointers(
  element: HTMLElement,
  { screen, take }: Hearing,
  signal: AbortSignal,
): ScreenListener {
  /** Pressed pointers by the page's ids. */
  const down = new Map<number, Down>();

  const end = (pointerId: number, phase: "up" | "cancel", at?: { x: number; y: number }) => {
    const pointer = down.get(pointerId);
    if (pointer === undefined) return;
    down.delete(pointerId);
    const { id, x, y } = { ...pointer, ...at };
    take({ kind: "pointer", phase, x, y, id });
  };

  element.addEventListener("pointerdown", (event) => {
    const id = freeId([...down.values()]);
    if (event.button !== 0 || id === null || isForPage(event.target)) return;
    end(event.pointerId, "cancel"); // its end was not reported
    const at = pointOf(element, event, screen());
    down.set(event.pointerId, { id, ...at });
    // A finger that leaves the element is reported until its end. A pointer created by the device
    // bridge cannot be captured.
    if (event.isTrusted) element.setPointerCapture(event.pointerId);
    take({ kind: "pointer", phase: "down", ...at, id });
  }, { signal });
  element.addEventListener("pointermove", (event) => {
    const pointer = down.get(event.pointerId);
    if (pointer === undefined) return;
    const { x, y } = pointOf(element, event, screen());
    if (x === pointer.x && y === pointer.y) return;
    down.set(event.pointerId, { ...pointer, x, y });
    take({ kind: "pointer", phase: "move", x, y, id: pointer.id });
  }, { signal });
  element.addEventListener("pointerup", (event) => {
    end(event.pointerId, "up", pointOf(element, event, screen()));
  }, { signal });
  for (const gone of ["pointercancel", "lostpointercapture"] as const) {
    element.addEventListener(gone, ({ pointerId }) => end(pointerId, "cancel"), { signal });
  }
  // A long press is a long press, not a menu.
  element.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });

  return {
    poll() {},
    release() {
      for (const pointerId of [...down.keys()]) end(pointerId, "cancel");
    },
  };
}

/** Returns the smallest free index: a round is the same whatever ids the page uses. */
function freeId(down: readonly Down[]): number | null {
  for (let id = 0; id < MAX_POINTERS; id++) {
    if (!down.some((pointer) => pointer.id === id)) return id;
  }
  return null;
}

/** Returns whether the page handles the event itself: text fields, buttons, links. */
export function isForPage(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  const own = "input, textarea, select, button, a[href], [contenteditable]";
  return target.closest(own) !== null;
}
