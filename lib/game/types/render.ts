import type { Rect, Viewport } from "./scene.ts";

// Tasks of a page that draws, and its answers.

/** Values of a trait that no scene file has. */
export interface LiveValues {
  /** Guid of the entity. */
  readonly guid: string;
  /** The trait. */
  readonly trait: string;
  /** By their names. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

/** Draws the current state of a scene. */
export interface DrawTask {
  /** Identifies the kind of task. */
  readonly kind: "draw";
  /** Assets loaded for one task are kept for the next one of the same round. */
  readonly round: string;
  /** The text of a scene file with the values as they are now. */
  readonly scene: string;
  /** State of a running game outside the fields of traits, such as the number of particles. */
  readonly live: readonly LiveValues[];
  /** The step of the game; 0 of a scene that is edited. */
  readonly tick: number;
  /** The same of frames that follow each other: particles continue from one to the next. */
  readonly sequence?: string;
  /** Pixels of the picture, which the layout counts in as well. */
  readonly screen: Viewport;
  /** The requested part in these pixels; the whole picture when absent. */
  readonly region?: Rect;
  /** Longest side of a second, smaller picture; none when absent. */
  readonly inline?: number;
}

/** Combines captures in a grid, row by row, in one picture. */
export interface StripTask {
  /** Identifies the kind of task. */
  readonly kind: "strip";
  /** Names of captures. */
  readonly pictures: readonly string[];
  /** Pictures in a row. */
  readonly columns: number;
  /** Longest side of the picture in pixels, to which it is scaled down. */
  readonly longest: number;
}

/** Compares two captures. */
export interface CompareTask {
  /** Identifies the kind of task. */
  readonly kind: "compare";
  /** The name of a capture. */
  readonly before: string;
  /** The name of another. */
  readonly after: string;
  /** Allowed difference of a channel, 0 to 255; beyond it the pixel differs. */
  readonly threshold: number;
  /** Longest side of a second, smaller picture; none when absent. */
  readonly inline?: number;
}

/** A task of a page. */
export type RenderTask = DrawTask | StripTask | CompareTask;

/** The page's report on its pictures. */
export interface RenderReport {
  /** Why there are no pictures; otherwise absent. */
  readonly error?: string;
  /** Parts that could not be drawn, a sentence each. */
  readonly warnings?: readonly string[];
  /** Result of a comparison. */
  readonly comparison?: Comparison;
}

/** Differences between two pictures. */
export interface Comparison {
  /** Pixels of both. */
  readonly width: number;
  /** Pixels of both. */
  readonly height: number;
  /** Pixels that differ. */
  readonly different: number;
  /** Boxes around the differences, the largest first. */
  readonly boxes: readonly Rect[];
}
