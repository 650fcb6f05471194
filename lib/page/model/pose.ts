import { type Signal, signal } from "@preact/signals";

// A moment of an animation or a timeline that is looked at while no game runs.

/** Which moment of what. */
export interface PosedMoment {
  /** The entity that would play it. */
  readonly entity: number;
  /** The animation or timeline; what the entity names when absent. */
  readonly clip?: string;
  /** Seconds. */
  readonly time: number;
}

/** What the viewport shows in place of the scene as it is; `null` for that. */
export const posed: Signal<PosedMoment | null> = signal(null);
