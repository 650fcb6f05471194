import { own } from "../../core/json.ts";
import type { LiveEntity } from "./live-entity.ts";

/** The entities that have one trait. */
interface TraitList {
  readonly entities: LiveEntity[];
  /** Whether a caller has this list and may be iterating over it: a change then replaces the list. */
  isHeld: boolean;
}

/** Index of a world's entities by trait. A list that a caller holds never changes. */
export class TraitLists {
  readonly #byTrait = new Map<string, TraitList>();
  /** Whether every trait of an entity has a list. Otherwise lists are created on first use. */
  #isComplete = false;

  /** Drops all lists. @param isComplete Whether every entity will be passed to `add`. */
  reset(isComplete: boolean): void {
    this.#byTrait.clear();
    this.#isComplete = isComplete;
  }

  /** Returns the entities with a trait in order of addition; the same list until that changes. */
  get(trait: string, all: Iterable<LiveEntity>): readonly LiveEntity[] {
    let list = this.#byTrait.get(trait);
    if (list === undefined) {
      list = newList([]);
      for (const entity of this.#isComplete ? [] : all) {
        if (own(entity.traits, trait) !== undefined) list.entities.push(entity);
      }
      this.#byTrait.set(trait, list);
    }
    list.isHeld = true;
    return list.entities;
  }

  /** Adds an entity after all others. */
  add(entity: LiveEntity): void {
    for (const trait of Object.keys(entity.traits)) {
      const list = this.#byTrait.get(trait);
      if (list?.isHeld) this.#byTrait.set(trait, newList([...list.entities, entity]));
      else if (list !== undefined) list.entities.push(entity);
      else if (this.#isComplete) this.#byTrait.set(trait, newList([entity]));
    }
  }

  /** Removes entities. @param ids The ids of exactly these. */
  remove(entities: readonly LiveEntity[], ids: ReadonlySet<number>): void {
    const traits = new Set(entities.flatMap((entity) => Object.keys(entity.traits)));
    for (const trait of traits) {
      const list = this.#byTrait.get(trait);
      if (list === undefined) continue;
      this.#byTrait.set(trait, newList(list.entities.filter(({ id }) => !ids.has(id))));
    }
  }
}

function newList(entities: LiveEntity[]): TraitList {
  return { entities, isHeld: false };
}
