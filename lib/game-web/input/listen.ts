import { listenToGamepads } from "./gamepads.ts";
import { listenToKeys } from "./keys.ts";
import { listenToPointers } from "./pointers.ts";
import type { Hearing } from "./screen.ts";
import { listenToWheel } from "./wheel.ts";

/** A running listener. */
export interface InputListening {
  /** Looks at the gamepads; once before the steps of each frame. */
  poll(): void;
  /** Stops listening. */
  dispose(): void;
}

/**
 * Listens to a player: pointers and the wheel on an element, the keyboard of the page, gamepads.
 * Releases everything held when the page loses the focus or is hidden, because releases are no
 * longer reported.
 */
export function listen(element: HTMLElement, hearing: Hearing): InputListening {
  const ended = new AbortController();
  const { signal } = ended;
  // The browser neither scrolls, zooms nor selects with fingers that play.
  element.style.touchAction = "none";
  element.style.userSelect = "none";
  element.style.setProperty("-webkit-user-select", "none");
  element.style.setProperty("-webkit-touch-callout", "none");
  const listeners = [
    listenToPointers(element, hearing, signal),
    listenToKeys(hearing, signal),
    listenToGamepads(hearing, signal),
  ];
  listenToWheel(element, hearing, signal);
  const release = () => {
    for (const listener of listeners) listener.release();
  };
  addEventListener("blur", release, { signal });
  addEventListener("pagehide", release, { signal });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) release();
  }, { signal });
  return {
    poll() {
      // Another window with the focus may play another game with the same gamepad.
      if (document.hidden || !document.hasFocus()) return;
      for (const listener of listeners) listener.poll();
    },
    dispose() {
      release();
      ended.abort();
    },
  };
}
