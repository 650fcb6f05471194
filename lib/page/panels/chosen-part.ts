import { type Signal, signal } from "@preact/signals";

/** The key or item of the timeline that its bar edits, or `null`. */
export const chosen: Signal<{ readonly track: number; readonly index: number } | null> = signal(
  null,
);
