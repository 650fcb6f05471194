import process from "node:process";
import { columnsOf } from "../shared/columns.ts";
import { createPaint, type Paint } from "./paint.ts";

/** The screen on which a report is written. */
export interface Screen {
  readonly paint: Paint;
  /** The width of the terminal; `null` in a pipe, where nothing is cut or wrapped. */
  readonly columns: number | null;
}

/** Returns the screen of stdout. */
export function screenOfStdout(): Screen {
  const columns = columnsOf(process.stdout);
  return { paint: createPaint({ terminal: columns !== null, env: process.env }), columns };
}
