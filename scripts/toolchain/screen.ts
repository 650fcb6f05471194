import type { Paint } from "./paint.ts";

/** What a report is written on. */
export interface Screen {
  readonly paint: Paint;
  /** Of the terminal; `null` in a pipe, where nothing is cut or wrapped. */
  readonly columns: number | null;
}
