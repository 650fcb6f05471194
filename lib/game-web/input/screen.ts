import type { InputEvent, Viewport } from "../../game/types/mod.ts";

/** What hears of the player, and in which pixels. */
export interface Hearing {
  /** The game's pixels across the element. */
  readonly screen: () => Viewport;
  /** Takes what the player does. */
  readonly take: (event: InputEvent) => void;
}

/** A part of the player's input that is listened to. */
export interface Listener {
  /** Looks at what tells nothing by itself; once a frame. */
  poll(): void;
  /** Lets go of everything that is held. */
  release(): void;
}

/** A point of the page in the game's pixels, whatever the element's size and scale there. */
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
