import type { Entity, LayoutEntry } from "../types/mod.ts";
import type { WorldPlace } from "../scene/transforms.ts";
import { UiMemory } from "./ui-memory.ts";

/** The measurement of an entity. */
export interface Measured {
  readonly entity: Entity;
  readonly at: WorldPlace;
  readonly entry: LayoutEntry;
}

/**
 * The measurements of the last layout. An edit replaces the values that it changes and keeps all
 * others, so an entity with the same value and place has the same rectangle if the camera and
 * screen are the same.
 */
export class LayoutMemory {
  /** The boxes of the UI layer. */
  readonly ui: UiMemory = new UiMemory();
  #seenFrom: readonly unknown[] = [];
  #measured: ReadonlyMap<number, Measured> = new Map();

  /** Returns measured rectangles by id. @param seenFrom Everything else that determines them. */
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
