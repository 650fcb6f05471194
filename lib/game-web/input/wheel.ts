import { type Hearing, pointOf } from "./screen.ts";

/** Pixels per line, for a wheel that counts lines. */
const LINE = 16;

/** Listens to the wheel; the page does not scroll with it. */
export function listenToWheel(
  element: HTMLElement,
  { screen, take }: Hearing,
  signal: AbortSignal,
): void {
  element.addEventListener("wheel", (event) => {
    if (event.ctrlKey) return; // people make the page larger with it
    event.preventDefault();
    const { deltaMode, deltaY } = event;
    const pixels = deltaMode === event.DOM_DELTA_LINE
      ? deltaY * LINE
      : deltaMode === event.DOM_DELTA_PAGE
      ? deltaY * element.clientHeight
      : deltaY;
    const dy = Math.round(pixels);
    if (dy !== 0) take({ kind: "wheel", ...pointOf(element, event, screen()), dy });
  }, { signal, passive: false });
}
