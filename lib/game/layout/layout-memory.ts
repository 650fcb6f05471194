import type { Entity, LayoutEntry } from "../types/mod.ts";
import type { WorldPlace } from "../scene/transforms.ts";
import { UiMemory } from "./ui-memory.ts";

/** One entity, as it was measured. */
export interface Measured {
  readonly entity: Entity;
  readonly at: WorldPlace;
  readonly entry: LayoutEntry;
}

/**
 * The measurements of the last layout. An edit replaces the values that it changes and leaves all others
 * as they are, so an entity that is still the same value at the same place is seen where it was, as
 * long as it is looked at in the same way.
 */
export class LayoutMemory {
  /** The boxes of the UI layer. */
  readonly ui: UiMemory = new UiMemory();
  #seenFrom: readonly unknown[] = [];
  #measured: ReadonlyMap<number, Measured> = new Map();

  /** Measured rectangles by id. @param seenFrom All that everything is looked at with. */
  of(seenFrom: readonly unknown[]): ReadonlyMap<number, Measured> {
    const isSame = seenFrom.length === this.#seenFrom.length &&
      seenFrom.every((value, i) => value === this.#seenFrom[i]);
    return isSame ? this.#measured : new Map();
  }

  /** Remembers a layout in place of the last one. */
  keep(seenFrom: readonly unknown[], measured: ReadonlyMap<number, Measured>): void {
    this.#seenFrom = seenFrom;
    this.#measured = measured;
  }
}
