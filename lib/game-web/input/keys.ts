import type { Hearing, Listener } from "./screen.ts";
import { isForPage } from "./pointers.ts";

/** Keys with which pages are scrolled. */
const SCROLLING = [
  "ArrowUp",
  "ArrowDown",
  "ArrowLeft",
  "ArrowRight",
  "Space",
  "PageUp",
  "PageDown",
  "Home",
  "End",
];

/** Listens to the keyboard of the whole page, but where people type. */
export function listenToKeys({ take }: Pick<Hearing, "take">, signal: AbortSignal): Listener {
  const held = new Set<string>();
  const up = (code: string) => {
    if (held.delete(code)) take({ kind: "key", code, phase: "up" });
  };
  addEventListener("keydown", (event) => {
    const { code, repeat, isComposing } = event;
    if (code === "" || isComposing || isForPage(event.target) || isCommand(event)) return;
    if (SCROLLING.includes(code)) event.preventDefault();
    if (repeat || held.has(code)) return;
    held.add(code);
    take({ kind: "key", code, phase: "down" });
  }, { signal });
  // Wherever the focus is by then: what is held is let go.
  addEventListener("keyup", ({ code }) => up(code), { signal });
  return {
    poll() {},
    release() {
      for (const code of [...held]) up(code);
    },
  };
}

/** Whether it is meant for the browser (`Ctrl+R`), which may never tell that the key went up. */
function isCommand({ code, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !/^(Control|Meta)/.test(code);
}
