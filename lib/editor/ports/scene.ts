import type { Entity, OverlapQuery } from "../../game/types/mod.ts";

// The open scene as values.

/** The open scene. */
export interface SceneState {
  /** Path of the scene file, relative to the project: of the scene that is shown, also in a game. */
  readonly scenePath: string;
  /** Whether that is the world of a game that plays or is paused, not the edited scene. */
  readonly playing?: boolean;
  /** Grows by one with every edit. */
  readonly rev: number;
  /** In document order: parents before their children. */
  readonly entities: readonly Entity[];
}

/** Options of a producer. */
export interface ProducerOptions {
  /**
   * Aborted when the caller no longer waits: the promise then rejects with its reason, unless the
   * answer is ready.
   */
  readonly signal?: AbortSignal;
}

/** Options of a layout in addition to the rectangles. */
export interface LayoutOptions extends ProducerOptions {
  /** Lists the pairs that overlap. */
  readonly overlaps?: boolean;
  /** The requested pairs among them; an editor may ignore it and list all. */
  readonly pairs?: OverlapQuery;
}
