import type { Entity, Layer, TraitFields } from "./ports.ts";

/** A new entity, before it has an id. */
export interface EntitySeed {
  /** Unique in the document. */
  readonly guid: string;
  /** What people call it; need not be unique. */
  readonly name: string;
  /** The id of an entity of the document, `null` for a root. */
  readonly parentId: number | null;
  /** What draws it. */
  readonly layer: Layer;
  /** Its traits, each with all of its fields. */
  readonly traits: Readonly<Record<string, TraitFields>>;
}

/**
 * The entities of the open scene: plain values keyed by ids that are never reused, so that a held
 * id never comes to mean another entity. An edit replaces the entity's value and leaves the old one
 * as it was, which is what an undo step can keep.
 */
export class EntityDocument {
  readonly #entities = new Map<number, Entity>();
  readonly #ids = new Map<string, number>();
  readonly #children = new Map<number | null, number[]>([[null, []]]);
  #nextId = 1;
  #rev = 0;
  #ordered: readonly Entity[] | null = null;

  /**
   * A document of these entities, at revision 0.
   *
   * @param seeds Get the ids 1, 2, 3, … in this order; a parent may stand after its children.
   * @throws {TypeError} For a guid given twice or a parent that is not there: check before.
   */
  constructor(seeds: readonly EntitySeed[] = []) {
    for (let id = 1; id <= seeds.length; id++) this.#children.set(id, []);
    for (const seed of seeds) this.#insert(seed);
  }

  /** Grows by one with every change. */
  get rev(): number {
    return this.#rev;
  }

  /** Entities in the document. */
  get size(): number {
    return this.#entities.size;
  }

  /** The entity with this id. */
  get(id: number): Entity | undefined {
    return this.#entities.get(id);
  }

  /** The entity with this guid. */
  byGuid(guid: string): Entity | undefined {
    const id = this.#ids.get(guid);
    return id === undefined ? undefined : this.#entities.get(id);
  }

  /** The ids right below an entity, or of the roots for `null`, in document order. */
  childrenOf(parentId: number | null): readonly number[] {
    return this.#children.get(parentId) ?? [];
  }

  /** All entities, every parent right before its descendants, siblings in order of creation. */
  entities(): readonly Entity[] {
    this.#ordered ??= this.#inOrder();
    return this.#ordered;
  }

  /**
   * Adds an entity below its parent.
   *
   * @throws {TypeError} For a guid that is taken or a parent that is not there: check before.
   */
  add(seed: EntitySeed): Entity {
    const entity = this.#insert(seed);
    this.#changed();
    return entity;
  }

  #insert(seed: EntitySeed): Entity {
    if (this.#ids.has(seed.guid)) {
      throw new TypeError(`Cannot add entity "${seed.name}": guid ${seed.guid} is taken`);
    }
    const siblings = this.#children.get(seed.parentId);
    if (siblings === undefined) {
      throw new TypeError(`Cannot add entity "${seed.name}": parent ${seed.parentId} is not there`);
    }
    const { guid, name, parentId, layer, traits } = seed;
    const entity: Entity = { id: this.#nextId++, guid, name, parentId, layer, traits };
    this.#entities.set(entity.id, entity);
    this.#ids.set(guid, entity.id);
    if (!this.#children.has(entity.id)) this.#children.set(entity.id, []);
    siblings.push(entity.id);
    return entity;
  }

  /** Removes an entity with all that is below it. @returns What was removed, the parents first. */
  remove(id: number): readonly Entity[] {
    const entity = this.#entities.get(id);
    if (entity === undefined) return [];
    const removed = this.#below([id]);
    for (const { id, guid } of removed) {
      this.#entities.delete(id);
      this.#ids.delete(guid);
      this.#children.delete(id);
    }
    const siblings = this.#children.get(entity.parentId) ?? [];
    siblings.splice(siblings.indexOf(id), 1);
    this.#changed();
    return removed;
  }

  /**
   * Sets some fields of a trait and keeps the others; a trait that is not there is added.
   *
   * @returns The entity as it is now, or `undefined` when it is not there.
   */
  setFields(id: number, trait: string, fields: TraitFields): Entity | undefined {
    const entity = this.#entities.get(id);
    if (entity === undefined) return undefined;
    const merged = { ...entity.traits[trait], ...fields };
    const changed: Entity = { ...entity, traits: { ...entity.traits, [trait]: merged } };
    this.#entities.set(id, changed);
    this.#changed();
    return changed;
  }

  #changed(): void {
    this.#rev++;
    this.#ordered = null;
  }

  #inOrder(): readonly Entity[] {
    return this.#below(this.childrenOf(null));
  }

  /** These entities and all below them, depth first, without recursion: chains may be long. */
  #below(ids: readonly number[]): readonly Entity[] {
    const found: Entity[] = [];
    const stack = ids.toReversed();
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      const entity = this.#entities.get(id);
      if (entity !== undefined) found.push(entity);
      const children = this.childrenOf(id);
      for (let i = children.length - 1; i >= 0; i--) stack.push(children[i] ?? 0);
    }
    return found;
  }
}
