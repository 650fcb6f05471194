import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { isStopped } from "../model/editor.ts";
import type { FlatLook } from "./flat-look.ts";
import { type Orbit, START } from "./orbit.ts";

// How this page looks at the scene: its own, and nobody else's.

/** Where the 3D layer is seen from. */
export const orbit: Signal<Orbit> = signal(START);
/** How the 2D and UI layers are looked at; `null` for all of the game's screen. */
export const flatLook: Signal<FlatLook | null> = signal(null);
/** Whether a key makes every drag move the picture. */
export const isPanning: Signal<boolean> = signal(false);
/** Whether it is seen through the scene's own camera instead. */
export const throughCamera: Signal<boolean> = signal(false);
/** Whether the grid of metres is seen. */
export const grid: Signal<boolean> = signal(true);
/** Whether drags go in whole steps; a key turns it around meanwhile. */
export const snap: Signal<boolean> = signal(false);
/** Whether a drag on the 3D layer draws a box around what it selects, and a tap adds to that. */
export const isSelecting: Signal<boolean> = signal(false);
/** Whether a game that plays is looked around in, instead of played. */
export const besideGame: Signal<boolean> = signal(false);
/** Counts the frames: what stands on the picture is put in its place after each. */
export const frames: Signal<number> = signal(0);

/** Whether the picture is the game's, with the player's input. */
export const isGame: ReadonlySignal<boolean> = computed(() =>
  !isStopped.value && !besideGame.value
);
