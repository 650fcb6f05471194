import { eachOf, runAtOnce, type Work } from "../../core/cooperative.ts";
import type { Entity, Layer, TraitFields } from "../types/mod.ts";
import { type Change, inverse, type TreePosition } from "./change.ts";
import { EntityTree } from "./entity-tree.ts";
import { type Revision, RevisionLog, revisionOf } from "./revisions.ts";
import { Snapshot } from "./snapshot.ts";

/** A new entity, before it has an id. */
export interface EntitySeed {
  /** Unique in the document. */
  readonly guid: string;
  /** The name that people see; need not be unique. */
  readonly name: string;
  /** The id of an entity of the document, `null` for a root. */
  readonly parentId: number | null;
  /** The layer that draws it. */
  readonly layer: Layer;
  /** Its traits, each with all of its fields. */
  readonly traits: Readonly<Record<string, TraitFields>>;
}

/** Entities of one scene, and of a playing world, unless the editor is opened with another bound. */
export const MAX_ENTITIES = 100_000;

/**
 * The entities of the open scene: plain values by id. An id is never reused, so that a stored id
 * never refers to a different entity. An edit replaces the entity's value and leaves the old one
 * unchanged, so that an undo step can keep it.
 *
 * Changes that are made in several turns become visible once they are complete: until then,
 * `entities`, `size`, `get` and `byGuid` return the previous state.
 */
export class EntityDocument {
  readonly #tree: EntityTree;
  readonly #revisions: RevisionLog;
  #nextId = 1;
  /** The changes of the running transaction, or `null`. */
  #running: Change[] | null = null;
  /** The state before the changes in progress, while these yield; `null` otherwise. */
  #before: Snapshot | null = null;
  #isReordered = false;

  /**
   * Creates a document of these entities, at revision 0.
   *
   * @param seeds Get the ids 1, 2, 3, … in this order, and name their parents by them; a parent may
   * follow its children.
   * @param previous The document that this one replaces: entities with the same guid keep their
   * ids, others get new ones, and the revision continues from its.
   * @param options.maxEntities {@linkcode MAX_ENTITIES} by default.
   * @throws {TypeError} For a repeated guid, a missing parent, or more entities than the maximum:
   * the caller checks first.
   */
  constructor(
    seeds: readonly EntitySeed[] = [],
    previous?: EntityDocument,
    { maxEntities = MAX_ENTITIES }: { readonly maxEntities?: number } = {},
  ) {
    this.#tree = new EntityTree(maxEntities);
    this.#revisions = new RevisionLog(previous === undefined ? 0 : previous.rev + 1);
    this.#nextId = previous === undefined ? 1 : previous.#nextId;
    runAtOnce(this.#fill(seeds, previous));
  }

  /** Creates a document as the constructor does, yielding to other work. */
  static *of(
    seeds: readonly EntitySeed[],
    previous: EntityDocument | undefined,
    options: { readonly maxEntities?: number },
  ): Work<EntityDocument> {
    const document = new EntityDocument([], previous, options);
    yield* document.#fill(seeds, previous);
    return document;
  }

  *#fill(seeds: readonly EntitySeed[], previous: EntityDocument | undefined): Work<void> {
    const ids: number[] = [];
    yield* eachOf(seeds, ({ guid }) => {
      const id = previous?.byGuid(guid)?.id ?? this.#nextId++;
      ids.push(id);
      this.#tree.reserve(id);
    });
    yield* eachOf(seeds.entries(), ([index, { guid, name, layer, traits, ...seed }]) => {
      const parentId = seed.parentId === null ? null : ids[seed.parentId - 1] ?? -1;
      this.#tree.insert({ id: ids[index] ?? 0, guid, name, parentId, layer, traits });
    });
  }

  /**
   * Creates a document from the entities of another one, with their ids: later entities get the
   * same ids in both.
   *
   * @param nextId That of the other document.
   * @throws {TypeError} As the constructor, and for a repeated id.
   */
  static restore(
    entities: readonly Entity[],
    nextId: number,
    options: { readonly maxEntities?: number } = {},
  ): EntityDocument {
    const document = new EntityDocument([], undefined, options);
    document.#nextId = nextId;
    for (const entity of entities) document.#tree.insert(entity);
    return document;
  }

  /** The id that the next new entity gets. */
  get nextId(): number {
    return this.#nextId;
  }

  /** Grows by one with every change, and with every transaction that changes something. */
  get rev(): number {
    return this.#revisions.rev;
  }

  /** Entities in the document. */
  get size(): number {
    return this.#before?.entities.length ?? this.#tree.size;
  }

  /** Entities that it may hold. */
  get maxEntities(): number {
    return this.#tree.maxEntities;
  }

  /** The entity with this id. */
  get(id: number): Entity | undefined {
    return (this.#before ?? this.#tree).get(id);
  }

  /** The entity with this guid. */
  byGuid(guid: string): Entity | undefined {
    return (this.#before ?? this.#tree).byGuid(guid);
  }

  /** The ids right below an entity, or of the roots for `null`, in document order. */
  childrenOf(parentId: number | null): readonly number[] {
    return this.#tree.childrenOf(parentId);
  }

  /** Returns all entities, each parent right before its descendants, siblings in order. */
  entities(): readonly Entity[] {
    return this.#before?.entities ?? this.#tree.entities();
  }

  /** Returns an entity and its descendants, parents first; empty if it does not exist. */
  withDescendants(id: number): readonly Entity[] {
    return this.#tree.get(id) === undefined ? [] : this.#tree.below([id]);
  }

  /** The entities above one, the topmost first, then the entity itself. */
  lineOf(id: number): readonly Entity[] {
    const line: Entity[] = [];
    for (let at = this.#tree.get(id); at !== undefined;) {
      line.push(at);
      at = at.parentId === null ? undefined : this.#tree.get(at.parentId);
    }
    return line.reverse();
  }

  /**
   * Returns the ids changed after a revision, and whether all changes since are known (otherwise
   * all may have changed).
   *
   * @param until The last revision that counts; the newest unless given.
   */
  changedSince(
    rev: number,
    until: number = this.rev,
  ): { readonly known: boolean; readonly ids: readonly number[] } {
    return this.#revisions.changedSince(rev, until);
  }

  /**
   * Returns whether the entities are still in the order of a revision, except for removed ones and
   * new ones added as their parent's last child.
   */
  keptOrderSince(rev: number): boolean {
    return this.#revisions.keptOrderSince(rev);
  }

  /**
   * Runs changes as a transaction: all of them are one revision; or none is kept, and the ids that
   * they took become free again, because no caller has seen them. No other code may change the
   * document until it ends.
   *
   * @param work Decides whether to keep its changes.
   * @returns Its value and its changes in order; no changes if they are not kept.
   */
  *transacting<T>(
    work: Work<{ readonly keep: boolean; readonly value: T }>,
  ): Work<{ readonly value: T; readonly changes: readonly Change[] }> {
    if (this.#running !== null) throw new TypeError("A transaction is running already");
    const [nextId, restoreOrder] = [this.#nextId, this.#tree.keepOrder()];
    const changes: Change[] = [];
    this.#running = changes;
    let kept: Revision | undefined;
    const counted = function* () {
      const done = yield* work;
      if (done.keep) kept = yield* revisionOf(changes);
      return done.value;
    };
    try {
      const value = yield* this.#unseen(counted());
      return { value, changes: kept ? changes : [] };
    } finally {
      this.#running = null;
      if (kept) this.#count(kept);
      else {
        for (const change of [...changes].reverse()) this.#apply(inverse(change));
        this.#isReordered = false;
        this.#nextId = nextId;
        restoreOrder();
      }
    }
  }

  /** The changes of the running transaction so far; empty outside one. */
  get transacted(): readonly Change[] {
    return this.#running === null ? [] : [...this.#running];
  }

  /**
   * Applies recorded changes again, as one revision. They must fit the current state; no other code
   * may change the document until it ends.
   */
  *replaying(changes: readonly Change[]): Work<void> {
    this.#count(yield* this.#unseen(this.#replayed(changes)));
  }

  *#replayed(changes: readonly Change[]): Work<Revision> {
    yield* eachOf(changes, (change) => this.#apply(change));
    return yield* revisionOf(changes);
  }

  /** Runs work; while it yields, readers get the entities from before it. */
  *#unseen<T>(work: Work<T>): Work<T> {
    const before = new Snapshot(this.entities());
    try {
      for (let step = work.next();; step = work.next()) {
        if (step.done === true) return step.value;
        this.#before = before;
        yield;
        this.#before = null;
      }
    } finally {
      this.#before = null;
    }
  }

  /**
   * Adds an entity as the last one below its parent.
   *
   * @throws {TypeError} For a guid that is taken, a parent that is not there or a full document: check
   * before.
   */
  add(seed: EntitySeed): Entity {
    const { guid, name, parentId, layer, traits } = seed;
    const after: Entity = { id: this.#nextId, guid, name, parentId, layer, traits };
    this.#do({ kind: "insert", after, to: { parentId, index: this.childrenOf(parentId).length } });
    this.#nextId++;
    return after;
  }

  /**
   * Removes an entity with its descendants; yields to other work only within a transaction.
   *
   * @returns The removed entities, parents first.
   */
  *removing(id: number): Work<readonly Entity[]> {
    const removed = this.withDescendants(id);
    const [root] = removed;
    if (root === undefined) return [];
    const places = new Map([[id, this.#tree.positionOf(root).index]]);
    for (const parent of removed) {
      for (const [index, child] of this.childrenOf(parent.id).entries()) places.set(child, index);
    }
    // The last first: then every place is right again when they come back in the other order.
    const changes = [...removed].reverse().map((before): Change => ({
      kind: "remove",
      before,
      from: { parentId: before.parentId, index: places.get(before.id) ?? 0 },
    }));
    if (this.#running === null) {
      for (const change of changes) this.#apply(change);
      this.#count(runAtOnce(revisionOf(changes)));
    } else yield* eachOf(changes, (change) => this.#do(change));
    return removed;
  }

  /**
   * Sets some fields of a trait and keeps the others; a trait that is not there is added.
   *
   * @returns The entity as it is now, or `undefined` when it is not there.
   */
  setFields(id: number, trait: string, fields: TraitFields): Entity | undefined {
    return this.#set(id, ({ traits }) => ({
      traits: { ...traits, [trait]: { ...traits[trait], ...fields } },
    }));
  }

  /** Takes a trait off an entity. */
  removeTrait(id: number, trait: string): Entity | undefined {
    return this.#set(id, ({ traits: { [trait]: _gone, ...traits } }) => ({ traits }));
  }

  /** Gives an entity another name. */
  rename(id: number, name: string): Entity | undefined {
    return this.#set(id, () => ({ name }));
  }

  /** Changes the layer of an entity; its descendants keep theirs. */
  setLayer(id: number, layer: Layer): Entity | undefined {
    return this.#set(id, () => ({ layer }));
  }

  /**
   * Moves an entity with its descendants to another parent.
   *
   * @param position An `index` beyond the end means the last place.
   * @throws {TypeError} For a missing parent or a descendant of the entity: the caller checks
   * first.
   */
  reparent(id: number, { parentId, index }: TreePosition): Entity | undefined {
    const before = this.#tree.get(id);
    if (before === undefined) return undefined;
    if (parentId !== null && this.lineOf(parentId).includes(before)) {
      throw new TypeError(`Cannot put entity ${id} below ${parentId}, which stands below it`);
    }
    const from = this.#tree.positionOf(before);
    const others = this.childrenOf(parentId).length - (from.parentId === parentId ? 1 : 0);
    const to = { parentId, index: Math.min(index, others) };
    this.#do({ kind: "move", before, after: { ...before, parentId }, from, to });
    return this.#tree.get(id);
  }

  #set(id: number, changed: (entity: Entity) => Partial<Entity>): Entity | undefined {
    const before = this.#tree.get(id);
    if (before === undefined) return undefined;
    const after = { ...before, ...changed(before) };
    this.#do({ kind: "set", before, after });
    return after;
  }

  #do(change: Change): void {
    this.#apply(change);
    if (this.#running === null) this.#count(runAtOnce(revisionOf([change])));
    else this.#running.push(change);
  }

  #count(revision: Revision): void {
    if (this.#revisions.count(revision, this.#isReordered)) this.#isReordered = false;
  }

  #apply(change: Change): void {
    if (this.#tree.apply(change)) this.#isReordered = true;
  }
}
