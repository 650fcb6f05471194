import type { Hearing, ScreenListener } from "./screen.ts";
import { isForPage } from "./pointers.ts";

/** Keys that scroll pages. */
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

/** Listens to the keyboard on the whole page, except where text is entered. */
export function listenToKeys({ take }: Pick<Hearing, "take">, signal: AbortSignal): ScreenListener {
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
  // Regardless of the focus: a held key must be released.
  addEventListener("keyup", ({ code }) => up(code), { signal });
  return {
    poll() {},
    release() {
      for (const code of [...held]) up(code);
    },
  };
}

/** Returns whether a key is a browser command (`Ctrl+R`), whose release may never be reported. */
function isCommand({ code, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !/^(Control|Meta)/.test(code);
}
