import { type Signal, signal } from "@preact/signals";

// A moment of an animation or a timeline that is looked at while no game runs.

/** A clip at a time. */
export interface PosedMoment {
  /** The entity that would play it. */
  readonly entity: number;
  /** The animation or timeline; the entity's own when absent. */
  readonly clip?: string;
  /** Seconds. */
  readonly time: number;
}

/** The moment that the viewport shows in place of the current scene, or `null`. */
export const posed: Signal<PosedMoment | null> = signal(null);
