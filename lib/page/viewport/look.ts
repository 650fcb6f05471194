import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { isStopped } from "../model/editor.ts";
import type { FlatView } from "./flat-look.ts";
import { type Orbit, START } from "./orbit.ts";

// View state of this page alone.

/** The camera of the 3D layer. */
export const orbit: Signal<Orbit> = signal(START);
/** The view of the 2D and UI layers; `null` for the whole screen of the game. */
export const flatLook: Signal<FlatView | null> = signal(null);
/** Whether a key makes every drag move the picture. */
export const isPanning: Signal<boolean> = signal(false);
/** Whether the view is that of the scene's own camera. */
export const throughCamera: Signal<boolean> = signal(false);
/** Whether the metre grid is visible. */
export const grid: Signal<boolean> = signal(true);
/** Whether drags snap; a held key inverts it. */
export const snap: Signal<boolean> = signal(false);
/** Whether a drag on the 3D layer selects by a rectangle, and a tap adds to the selection. */
export const isSelecting: Signal<boolean> = signal(false);
/** Whether a game that plays is looked around in, instead of played. */
export const besideGame: Signal<boolean> = signal(false);
/** Frame counter: overlays are repositioned after each frame. */
export const frames: Signal<number> = signal(0);

/** Whether the picture is the game's, with the player's input. */
export const isGame: ReadonlySignal<boolean> = computed(() =>
  !isStopped.value && !besideGame.value
);
