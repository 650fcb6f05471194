import type { LiveEntity, LiveWorld } from "./live-world.ts";

/**
 * Entities that carry others: of those that have a body, and of all above them, the ones right below. The
 * world is to tell when they are moved.
 */
export class Carriers {
  readonly #live: LiveWorld;
  readonly #carried = new Map<number, Set<number>>();

  constructor(live: LiveWorld) {
    this.#live = live;
  }

  /** Notes who carries an entity, up to one of whom it is known. */
  add(entity: LiveEntity): void {
    let below = entity.id;
    for (let at = this.#live.carrierOf(entity); at !== undefined; at = this.#live.carrierOf(at)) {
      const known = this.#carried.get(at.id);
      if (known !== undefined) return void known.add(below);
      this.#carried.set(at.id, new Set([below]));
      this.#live.watch(at);
      below = at.id;
    }
  }

  /** Forgets what an entity carries, and that it hangs below another one. */
  remove(id: number, parentId: number | null): void {
    this.#carried.delete(id);
    if (parentId !== null) this.#carried.get(parentId)?.delete(id);
  }

  /** Whether it carries anything. */
  has(id: number): boolean {
    return this.#carried.has(id);
  }

  /**
   * An entity and all that it carries.
   *
   * @param seen Entities that are passed over with all that they carry; those found are added.
   */
  below(id: number, seen: Set<number>): readonly number[] {
    const found: number[] = [];
    const waiting = [id];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      found.push(next);
      const carried = this.#carried.get(next);
      if (carried !== undefined) { for (const one of carried) waiting.push(one); }
    }
    return found;
  }
}
