import type { Entity } from "../types/mod.ts";

/** Entities as they are shown now: those of the document, or of the game that plays. */
export interface World {
  /** In document order; the same list as long as nothing has changed. */
  entities(): readonly Entity[];
  /** Grows with every change. */
  readonly rev: number;
}
