import type { LiveEntity, LiveWorld } from "./live-world.ts";

/**
 * The carriers of bodies: for each ancestor of a body, its children on the way down. The world
 * reports when they move.
 */
export class Carriers {
  readonly #live: LiveWorld;
  readonly #carried = new Map<number, Set<number>>();

  constructor(live: LiveWorld) {
    this.#live = live;
  }

  /** Records the carriers of an entity, up to a known one. */
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

  /** Drops an entity's carried children, and its own entry in its parent. */
  remove(id: number, parentId: number | null): void {
    this.#carried.delete(id);
    if (parentId !== null) this.#carried.get(parentId)?.delete(id);
  }

  /** Whether it carries anything. */
  has(id: number): boolean {
    return this.#carried.has(id);
  }

  /**
   * Returns an entity and everything that it carries.
   *
   * @param seen Entities to skip with everything that they carry; found ones are added.
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
