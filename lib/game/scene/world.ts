import type { Entity } from "../types/mod.ts";

/** The currently shown entities: those of the document, or of the running game. */
export interface World {
  /** Returns the entities in document order; the same list while nothing changes. */
  entities(): readonly Entity[];
  /** Grows with every change. */
  readonly rev: number;
}
