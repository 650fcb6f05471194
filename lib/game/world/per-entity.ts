import type { LiveEntity, LiveFields, LiveWorld } from "./live-world.ts";

/**
 * What a system keeps of each entity that has a trait, from the first step in which it is there. It is
 * at hand for as long as none comes or goes: nothing is searched for in a step.
 */
export class PerEntity<Kept> {
  readonly #trait: string;
  readonly #begin: (entity: LiveEntity, fields: LiveFields) => Kept;
  #listed: readonly LiveEntity[] = [];
  #kept: readonly Kept[] = [];

  /** @param begin Makes it, of an entity and its fields of the trait, which stay the same object. */
  constructor(trait: string, begin: (entity: LiveEntity, fields: LiveFields) => Kept) {
    this.#trait = trait;
    this.#begin = begin;
  }

  /** In the order of {@linkcode LiveWorld.having}; another list once one has come or gone. */
  of(world: LiveWorld): readonly Kept[] {
    const listed = world.having(this.#trait);
    if (listed !== this.#listed) {
      const known = new Map(this.#listed.map((entity, n) => [entity, this.#kept[n]]));
      this.#kept = listed.map((entity) =>
        known.get(entity) ?? this.#begin(entity, entity.traits[this.#trait] ?? {})
      );
      this.#listed = listed;
    }
    return this.#kept;
  }
}
