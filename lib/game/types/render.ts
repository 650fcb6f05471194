import type { Rect, Viewport } from "./scene.ts";

// What is asked of a page that draws, and what it answers.

/** Values of a trait that no scene file has. */
export interface LiveValues {
  /** Of the entity. */
  readonly guid: string;
  /** The trait. */
  readonly trait: string;
  /** By their names. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

/** Draws a scene as it stands. */
export interface DrawTask {
  /** Tells it from others. */
  readonly kind: "draw";
  /** What is loaded for one task stays for the next of the same round. */
  readonly round: string;
  /** The text of a scene file with the values as they are now. */
  readonly scene: string;
  /** What a playing game keeps beside the fields of traits, such as how many particles there are. */
  readonly live: readonly LiveValues[];
  /** The step of the game; 0 of a scene that is edited. */
  readonly tick: number;
  /** The same of frames that follow each other: particles go on from one to the next. */
  readonly sequence?: string;
  /** Pixels of the picture, which the layout counts in as well. */
  readonly screen: Viewport;
  /** The part that is wanted, in these pixels; all of it when absent. */
  readonly region?: Rect;
  /** The longest side of a second, smaller picture; none when absent. */
  readonly inline?: number;
}

/** Puts captures beside each other, row by row, in one picture. */
export interface StripTask {
  /** Tells it from others. */
  readonly kind: "strip";
  /** Names of captures. */
  readonly pictures: readonly string[];
  /** Pictures in a row. */
  readonly columns: number;
  /** The longest side of the whole strip, in pixels: it is scaled down to that. */
  readonly longest: number;
}

/** Says where two captures differ. */
export interface CompareTask {
  /** Tells it from others. */
  readonly kind: "compare";
  /** The name of a capture. */
  readonly before: string;
  /** The name of another. */
  readonly after: string;
  /** How far a channel may be off before its pixel differs, 0 to 255. */
  readonly threshold: number;
  /** The longest side of a second, smaller picture; none when absent. */
  readonly inline?: number;
}

/** What a page is asked for. */
export type RenderTask = DrawTask | StripTask | CompareTask;

/** What a page says beside its pictures. */
export interface RenderReport {
  /** Why there are no pictures; absent where there are. */
  readonly error?: string;
  /** Parts that could not be drawn, a sentence each. */
  readonly warnings?: readonly string[];
  /** Of two captures that were compared. */
  readonly comparison?: Comparison;
}

/** How two pictures differ. */
export interface Comparison {
  /** Pixels of both. */
  readonly width: number;
  /** Pixels of both. */
  readonly height: number;
  /** Pixels that differ. */
  readonly different: number;
  /** Boxes around what differs, the largest first. */
  readonly boxes: readonly Rect[];
}
