import type { InputEvent, Viewport } from "../../game/types/mod.ts";

/** The receiver of input, and the size of its screen. */
export interface Hearing {
  /** The game's pixels across the element. */
  readonly screen: () => Viewport;
  /** Receives the player's input. */
  readonly take: (event: InputEvent) => void;
}

/** A part of the player's input that is listened to. */
export interface ScreenListener {
  /** Polls devices without events; called once per frame. */
  poll(): void;
  /** Releases everything held. */
  release(): void;
}

/** Converts a point of the page to the game's pixels, whatever the element's size and scale. */
export function pointOf(
  element: Element,
  { clientX, clientY }: Pick<MouseEvent, "clientX" | "clientY">,
  { width, height }: Viewport,
): { readonly x: number; readonly y: number } {
  const box = element.getBoundingClientRect();
  return {
    x: Math.round((clientX - box.left) / Math.max(1, box.width) * width),
    y: Math.round((clientY - box.top) / Math.max(1, box.height) * height),
  };
}
