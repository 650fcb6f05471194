import type { LiveEntity, LiveFields, LiveWorld } from "./live-world.ts";

/**
 * A system's data about each entity with a trait, from the entity's first step on. It is kept while
 * no entity is added or removed, so that steps need no lookups.
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

  /**
   * Returns the data in the order of {@linkcode LiveWorld.withTrait}; a new list once an entity was
   * added or removed.
   */
  of(world: LiveWorld): readonly Kept[] {
    const listed = world.withTrait(this.#trait);
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
