import { type Signal, signal } from "@preact/signals";

/** The key or item of the timeline that is edited in its bar; `null` for none. */
export const chosen: Signal<{ readonly track: number; readonly index: number } | null> = signal(
  null,
);
