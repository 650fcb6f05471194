import type { Entity } from "../types/mod.ts";
import type { Change, TreePosition } from "./change.ts";

/** Entities by id and guid, and the children of each in order. */
export class EntityTree {
  /** Entities that it may hold. */
  readonly maxEntities: number;
  readonly #entities = new Map<number, Entity>();
  readonly #ids = new Map<string, number>();
  readonly #children = new Map<number | null, number[]>([[null, []]]);
  #ordered: readonly Entity[] | null = null;
  /** Ids in document order; most edits change values, and no place. */
  #order: readonly number[] | null = null;

  constructor(maxEntities: number) {
    this.maxEntities = maxEntities;
  }

  /** Entities in the tree. */
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

  /** Returns all entities, each parent right before its descendants, siblings in order. */
  entities(): readonly Entity[] {
    this.#ordered ??= this.#inOrder();
    return this.#ordered;
  }

  /** Returns these entities and all below them, depth first, without recursion: chains may be long. */
  below(ids: readonly number[]): readonly Entity[] {
    const found: Entity[] = [];
    const stack = [...ids].reverse();
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      const entity = this.#entities.get(id);
      if (entity !== undefined) found.push(entity);
      const children = this.childrenOf(id);
      for (let i = children.length - 1; i >= 0; i--) stack.push(children[i] ?? 0);
    }
    return found;
  }

  /** Returns the position of an entity of the tree. */
  positionOf({ id, parentId }: Entity): TreePosition {
    const siblings = this.childrenOf(parentId);
    let index = siblings.length - 1; // lastIndexOf() is several times slower
    while (index >= 0 && siblings[index] !== id) index--;
    return { parentId, index };
  }

  /** Keeps the computed order; the result restores it, once the entities are as they were. */
  keepOrder(): () => void {
    const [ordered, order] = [this.#ordered, this.#order];
    return () => {
      this.#ordered = ordered;
      this.#order = order;
    };
  }

  /** Allows children below an id whose entity is inserted later. */
  reserve(id: number): void {
    this.#children.set(id, []);
  }

  /**
   * Adds an entity, as its parent's last child unless an index is given.
   *
   * @throws {TypeError} For an id or a guid that is taken, a missing parent or a full tree.
   */
  insert(entity: Entity, index?: number): void {
    const { id, guid, name, parentId } = entity;
    if (this.size >= this.maxEntities) {
      throw new TypeError(`Cannot add entity "${name}": there are ${this.size} already`);
    }
    const taken = this.#entities.has(id) ? `id ${id}` : this.#ids.has(guid) ? `guid ${guid}` : null;
    if (taken !== null) throw new TypeError(`Cannot add entity "${name}": ${taken} is taken`);
    const siblings = this.#siblings(parentId);
    this.#entities.set(id, entity);
    this.#ids.set(guid, id);
    if (!this.#children.has(id)) this.#children.set(id, []);
    siblings.splice(index ?? siblings.length, 0, id);
  }

  /**
   * Applies a change, which must fit the current state.
   *
   * @returns Whether it changed the order of entities other than by removing one or by adding a
   * last child.
   */
  apply(change: Change): boolean {
    let isReordered = false;
    switch (change.kind) {
      case "set":
        this.#entities.set(change.after.id, change.after);
        break;
      case "insert":
        isReordered = change.to.index < this.childrenOf(change.to.parentId).length;
        this.insert(change.after, change.to.index);
        break;
      case "remove":
        this.#entities.delete(change.before.id);
        this.#ids.delete(change.before.guid);
        this.#children.delete(change.before.id);
        this.#siblings(change.from.parentId).splice(change.from.index, 1);
        break;
      case "move":
        isReordered = true;
        this.#siblings(change.from.parentId).splice(change.from.index, 1);
        this.#siblings(change.to.parentId).splice(change.to.index, 0, change.after.id);
        this.#entities.set(change.after.id, change.after);
    }
    this.#ordered = null;
    if (change.kind !== "set") this.#order = null;
    return isReordered;
  }

  #inOrder(): readonly Entity[] {
    if (this.#order === null) {
      const ordered = this.below(this.childrenOf(null));
      this.#order = ordered.map(({ id }) => id);
      return ordered;
    }
    const ordered: Entity[] = [];
    for (const id of this.#order) {
      const entity = this.#entities.get(id);
      if (entity !== undefined) ordered.push(entity);
    }
    return ordered;
  }

  #siblings(parentId: number | null): number[] {
    const siblings = this.#children.get(parentId);
    if (siblings === undefined) throw new TypeError(`Parent ${parentId} is not there`);
    return siblings;
  }
}
