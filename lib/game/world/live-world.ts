import { eachOf, type Work } from "../../core/cooperative.ts";
import { type JsonValue, own } from "../../core/json.ts";
import type { World } from "../scene/world.ts";
import type { Entity, Vec3 } from "../types/mod.ts";
import { numberOr } from "../traits/value.ts";
import type { WorldPlace } from "../scene/transforms.ts";
import { type LiveEntity, type LiveSeed, Slot } from "./live-entity.ts";
import { Revisions } from "./revisions.ts";
import { movesIn, placeIn, poseSlot, positionIn } from "./slot-transform.ts";
import { TraitLists } from "./trait-lists.ts";

export type { LiveEntity, LiveFields } from "./live-entity.ts";

/**
 * The world of a playing game: a copy of the document's values that systems change in place. The
 * document itself never hears of it.
 */
export class LiveWorld implements World {
  readonly #slots = new Map<number, Slot>();
  readonly #guids = new Map<string, number>();
  readonly #byTrait = new TraitLists();
  #byParent: ReadonlyMap<number | null, readonly LiveEntity[]> | null = null;
  #nextId = 1;
  #rev: number;
  #structure = 0;
  #flatMoves = 0;
  #flatChanges = 0;
  #shown: readonly Entity[] | null = null;
  /** The 2D and UI entities with their snapshots; `null` once one of them has changed. */
  #flat: readonly Slot[] | null = null;
  #shownFlat: readonly Entity[] | null = null;
  /** The first entity of each name; `null` until requested. */
  #byName: ReadonlyMap<string, LiveEntity> | null = null;
  #moved: Slot[] = [];
  readonly #revisions = new Revisions();

  /** @param rev Revision from which its own continue. */
  constructor(entities: readonly Entity[], rev: number) {
    this.#rev = rev;
    for (const entity of entities) this.#begin(entity);
  }

  /** Creates a world, yielding to other work, with a list of entities for each trait. */
  static *of(entities: readonly Entity[], rev: number): Work<LiveWorld> {
    const world = new LiveWorld([], rev);
    world.#byTrait.reset(true);
    yield* eachOf(entities, (entity) => world.#byTrait.add(world.#begin(entity)));
    return world;
  }

  get rev(): number {
    return this.#rev;
  }

  /**
   * Returns the entities added or changed since a revision, and those that such an entity carries,
   * carriers first.
   */
  changedSince(rev: number): readonly LiveEntity[] {
    return this.#revisions.since(rev);
  }

  /** Grows whenever entities come or go. */
  get structure(): number {
    return this.#structure;
  }

  /** Grows whenever something of the 2D and UI layers moves. */
  get flatMoves(): number {
    return this.#flatMoves;
  }

  /** Incremented when a 2D or UI entity is added, removed or changed other than by moving. */
  get flatChanges(): number {
    return this.#flatChanges;
  }

  entities(): readonly Entity[] {
    this.#shown ??= [...this.#slots.values()].map(snapshotOf);
    return this.#shown;
  }

  /** Returns the 2D and UI entities of {@linkcode entities}; the same list while none changes. */
  flatEntities(): readonly Entity[] {
    if (this.#shownFlat !== null) return this.#shownFlat;
    this.#flat ??= [...this.#slots.values()].filter(({ layer }) => layer !== "3d");
    return this.#shownFlat = this.#flat.map(snapshotOf);
  }

  get(id: number): LiveEntity | undefined {
    return this.#slots.get(id);
  }

  /** The entity with this guid; `undefined` for `""`. */
  byGuid(guid: string): LiveEntity | undefined {
    const id = this.#guids.get(guid);
    return id === undefined ? undefined : this.get(id);
  }

  /** Number of entities. */
  get size(): number {
    return this.#slots.size;
  }

  /** The first entity of that name. */
  named(name: string): LiveEntity | undefined {
    if (this.#byName === null) {
      const byName = new Map<string, LiveEntity>();
      for (const slot of this.#slots.values()) {
        if (!byName.has(slot.name)) byName.set(slot.name, slot);
      }
      this.#byName = byName;
    }
    return this.#byName.get(name);
  }

  /**
   * Returns the entities with a trait, parents before their children, later ones last; the same
   * list until one with the trait is added or removed.
   */
  withTrait(trait: string): readonly LiveEntity[] {
    return this.#byTrait.get(trait, this.#slots.values());
  }

  /** Sets one field of a trait that the entity has. @returns Whether that changed anything. */
  set(
    entity: LiveEntity,
    path: readonly [trait: string, field: string],
    value: JsonValue,
  ): boolean {
    const [trait, field] = path;
    const fields = own(entity.traits, trait);
    if (fields === undefined || fields[field] === value) return false;
    const slot = this.#slotOf(entity);
    if (slot === undefined) return false;
    fields[field] = value;
    if (trait === "Transform") {
      slot.moves++;
      this.#noteMoved(slot);
      this.#hasMoved(slot);
    } else {
      if (slot.layer !== "3d") this.#flatChanges++;
      this.#changed(slot);
    }
    return true;
  }

  /** Sets the local position of an entity with a Transform. */
  moveTo(entity: LiveEntity, at: Vec3): void {
    const slot = this.#slotOf(entity);
    if (slot === undefined || !this.#pose(slot, at, null)) return;
    this.#noteMoved(slot);
  }

  /** Moves an entity with a Transform by a local offset. */
  moveBy(entity: LiveEntity, way: Vec3): void {
    const transform = entity.traits["Transform"];
    if (transform === undefined) return;
    const { x, y, z } = transform;
    this.moveTo(entity, [
      numberOr(x, 0) + way[0],
      numberOr(y, 0) + way[1],
      numberOr(z, 0) + way[2],
    ]);
  }

  /** Turns an entity that has a Transform. @param euler In degrees. */
  turnTo(entity: LiveEntity, euler: Vec3): void {
    const slot = this.#slotOf(entity);
    if (slot === undefined || !this.#pose(slot, null, euler)) return;
    this.#noteMoved(slot);
  }

  /**
   * Applies the pose that the physics computed to an entity with a Transform; {@linkcode drainMoved}
   * does not report it.
   *
   * @param euler `null` keeps the rotation.
   * @returns The entity's own share of {@linkcode placeVersion}.
   */
  setPose(entity: LiveEntity, at: Vec3, euler: Vec3 | null): number {
    const slot = this.#slotOf(entity);
    if (slot === undefined) return 0;
    this.#pose(slot, at, euler);
    return slot.moves;
  }

  #pose(slot: Slot, at: Vec3 | null, euler: Vec3 | null): boolean {
    if (!poseSlot(slot, at, euler)) return false;
    this.#hasMoved(slot);
    return true;
  }

  #noteMoved(slot: Slot): void {
    if (slot.isMoved || !slot.isWatched) return;
    slot.isMoved = true;
    this.#moved.push(slot);
  }

  /** Makes {@linkcode drainMoved} report an entity. */
  watch(entity: LiveEntity): void {
    const slot = this.#slotOf(entity);
    if (slot !== undefined) slot.isWatched = true;
  }

  /**
   * Returns the entities to {@linkcode watch} whose Transform has changed since the last call,
   * except by the physics.
   */
  drainMoved(): readonly LiveEntity[] {
    const moved = this.#moved;
    if (moved.length === 0) return moved;
    for (const slot of moved) slot.isMoved = false;
    this.#moved = [];
    return moved;
  }

  /** Adds an entity below an existing one. */
  add(seed: LiveSeed): LiveEntity {
    this.#restructured(seed.layer !== "3d");
    const slot = this.#put(this.#nextId++, seed);
    this.#byTrait.add(slot);
    return slot;
  }

  /** Removes an entity with its descendants. @returns The removed entities, parents first. */
  remove(id: number): readonly LiveEntity[] {
    const gone: Slot[] = [];
    const ids = new Set([id]);
    for (const slot of this.#slots.values()) {
      if (slot.parentId !== null && ids.has(slot.parentId)) ids.add(slot.id);
      if (ids.has(slot.id)) gone.push(slot);
    }
    for (const slot of gone) {
      this.#drop(slot);
      this.#slots.delete(slot.id);
      this.#guids.delete(slot.guid);
    }
    this.#byTrait.remove(gone, ids);
    if (gone.length > 0) this.#restructured(gone.some(({ layer }) => layer !== "3d"));
    return gone;
  }

  /**
   * Replaces the shown state with that of an edited scene; unchanged entities keep their identity.
   *
   * @param entities All of them, parents before their children.
   * @param changed New entities and those with changed values.
   */
  edit(entities: readonly Entity[], changed: ReadonlySet<number>): void {
    this.#restructured(true);
    const before = new Map(this.#slots);
    this.#slots.clear();
    this.#guids.clear();
    this.#byTrait.reset(false);
    for (const entity of entities) {
      const { id, guid, parentId, layer } = entity;
      const slot = before.get(id);
      const parent = parentId === null ? undefined : this.#slots.get(parentId);
      const carrier = parent?.layer === layer ? parent : undefined;
      if (slot !== undefined && slot.carrier === carrier && !changed.has(id)) {
        this.#slots.set(id, slot);
        this.#guids.set(guid, id);
        before.delete(id);
      } else this.#put(id, entity);
      this.#nextId = Math.max(this.#nextId, id + 1);
    }
    for (const slot of before.values()) this.#drop(slot);
  }

  /** Returns the descendant at a path of names, `Cabin/Door`; the entity itself for `""`. */
  below(entity: LiveEntity, path: string): LiveEntity | undefined {
    if (path === "") return entity;
    let at: LiveEntity | undefined = entity;
    for (const name of path.split("/")) {
      at = this.#childrenOf(at.id).find((child) => child.name === name);
      if (at === undefined) return undefined;
    }
    return at;
  }

  /** Returns the place of an entity in its layer's world. */
  placeOf(entity: LiveEntity): WorldPlace {
    const slot = this.#slotOf(entity);
    if (slot === undefined) throw new TypeError(`Entity ${entity.id} is not in the world`);
    return placeIn(slot);
  }

  /** Returns the origin of its place, which is cheaper than the whole place. */
  positionOf(entity: LiveEntity): Vec3 {
    const slot = this.#slotOf(entity);
    if (slot === undefined) throw new TypeError(`Entity ${entity.id} is not in the world`);
    return positionIn(slot);
  }

  /** Returns the ancestor whose Transform also moves this entity, if any. */
  carrierOf(entity: LiveEntity): LiveEntity | undefined {
    return this.#slotOf(entity)?.carrier;
  }

  /** Counter that increases with every change of an entity's place, by itself or by an ancestor. */
  placeVersion(entity: LiveEntity): number {
    const slot = this.#slotOf(entity);
    return slot === undefined ? 0 : movesIn(slot);
  }

  /** The same counter without changes that only rotated the entity itself. */
  positionVersion(entity: LiveEntity): number {
    const slot = this.#slotOf(entity);
    return slot === undefined ? 0 : movesIn(slot) - slot.turns;
  }

  /** Returns the world's data about an entity; its own entities are that data themselves. */
  #slotOf(entity: LiveEntity): Slot | undefined {
    const slot = entity instanceof Slot ? entity : this.#slots.get(entity.id);
    return slot?.isInWorld === true ? slot : undefined;
  }

  #childrenOf(id: number): readonly LiveEntity[] {
    if (this.#byParent === null) {
      const byParent = new Map<number | null, LiveEntity[]>();
      for (const slot of this.#slots.values()) {
        const siblings = byParent.get(slot.parentId) ?? [];
        siblings.push(slot);
        byParent.set(slot.parentId, siblings);
      }
      this.#byParent = byParent;
    }
    return this.#byParent.get(id) ?? [];
  }

  /** An entity of the scene, which is shown as it is until it changes. */
  #begin(entity: Entity): Slot {
    const slot = this.#put(entity.id, entity);
    slot.shown = entity;
    this.#nextId = Math.max(this.#nextId, entity.id + 1);
    return slot;
  }

  #put(id: number, seed: LiveSeed): Slot {
    const parent = seed.parentId === null ? undefined : this.#slots.get(seed.parentId);
    const slot = new Slot(id, seed, parent);
    this.#slots.set(id, slot);
    this.#guids.set(seed.guid, id);
    this.#revisions.add(slot, this.#rev);
    return slot;
  }

  #drop(slot: Slot): void {
    slot.isInWorld = false;
    this.#revisions.remove(slot);
  }

  #hasMoved(slot: Slot): void {
    if (slot.layer !== "3d") this.#flatMoves++;
    this.#changed(slot);
  }

  #changed(slot: Slot): void {
    slot.shown = null;
    this.#shown = null;
    if (slot.layer !== "3d") this.#shownFlat = null;
    this.#revisions.note(slot, ++this.#rev);
  }

  /** @param isFlat Whether a 2D or UI entity was added or removed. */
  #restructured(isFlat: boolean): void {
    this.#structure++;
    this.#byParent = null;
    this.#byName = null;
    this.#shown = null;
    this.#rev++;
    if (!isFlat) return;
    this.#flatChanges++;
    this.#flat = this.#shownFlat = null;
  }
}

/** An entity as others see it: the same value as long as it has not changed. */
function snapshotOf(slot: Slot): Entity {
  return slot.shown ??= snapshot(slot);
}

function snapshot({ id, guid, name, parentId, layer, traits }: LiveEntity): Entity {
  const copied = Object.entries(traits).map(([trait, fields]) => [trait, { ...fields }] as const);
  return { id, guid, name, parentId, layer, traits: Object.fromEntries(copied) };
}
