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
  /** In document order: every parent before its children. */
  readonly entities: readonly Entity[];
}

/** How something is produced. */
export interface ProducerOptions {
  /**
   * Aborted when nobody waits for it any more: the promise is then rejected with its reason, unless
   * the answer is there already.
   */
  readonly signal?: AbortSignal;
}

/** Options of a layout, beside the rectangles. */
export interface LayoutOptions extends ProducerOptions {
  /** Lists the pairs that overlap. */
  readonly overlaps?: boolean;
  /** The pairs that are wanted of them; an editor may ignore it and list all. */
  readonly pairs?: OverlapQuery;
}
