import type { Paint } from "./paint.ts";

/** The screen on which a report is written. */
export interface Screen {
  readonly paint: Paint;
  /** The width of the terminal; `null` in a pipe, where nothing is cut or wrapped. */
  readonly columns: number | null;
}
