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
  /** Those of the 2D and UI layers, and what they are shown as; `null` when one of them has changed. */
  #flat: readonly Slot[] | null = null;
  #shownFlat: readonly Entity[] | null = null;
  /** The first of each name; `null` until one is asked for. */
  #byName: ReadonlyMap<string, LiveEntity> | null = null;
  #moved: Slot[] = [];
  readonly #revisions = new Revisions();

  /** @param rev Where its revisions go on from. */
  constructor(entities: readonly Entity[], rev: number) {
    this.#rev = rev;
    for (const entity of entities) this.#begin(entity);
  }

  /** The same in turns, with a list of those that have a trait, for each. */
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
   * The entities that have come or changed since it was at a revision, and those that such a one
   * carries, carriers first.
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

  /** Grows whenever something of the 2D and UI layers comes, goes or changes otherwise than by moving. */
  get flatChanges(): number {
    return this.#flatChanges;
  }

  entities(): readonly Entity[] {
    this.#shown ??= [...this.#slots.values()].map(shownAs);
    return this.#shown;
  }

  /** Those of {@linkcode entities} on the 2D and UI layers; the same list as long as none has changed. */
  flatEntities(): readonly Entity[] {
    if (this.#shownFlat !== null) return this.#shownFlat;
    this.#flat ??= [...this.#slots.values()].filter(({ layer }) => layer !== "3d");
    return this.#shownFlat = this.#flat.map(shownAs);
  }

  get(id: number): LiveEntity | undefined {
    return this.#slots.get(id);
  }

  /** The entity with this guid; `undefined` for `""`. */
  byGuid(guid: string): LiveEntity | undefined {
    const id = this.#guids.get(guid);
    return id === undefined ? undefined : this.get(id);
  }

  /** How many entities there are. */
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
   * The entities that have a trait, parents before their children, later ones last: the same list until
   * one that has it comes or goes.
   */
  having(trait: string): readonly LiveEntity[] {
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

  /** Puts an entity that has a Transform somewhere below what carries it. */
  moveTo(entity: LiveEntity, at: Vec3): void {
    const slot = this.#slotOf(entity);
    if (slot === undefined || !this.#pose(slot, at, null)) return;
    this.#noteMoved(slot);
  }

  /** Moves an entity that has a Transform by so much below what carries it. */
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
   * Puts an entity that has a Transform where the physics has taken it, which
   * {@linkcode takeMoved} need not tell.
   *
   * @param euler `null` leaves the rotation as it is.
   * @returns Its own share of {@linkcode movesOf}.
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

  /** Has {@linkcode takeMoved} tell of an entity from now on. */
  watch(entity: LiveEntity): void {
    const slot = this.#slotOf(entity);
    if (slot !== undefined) slot.isWatched = true;
  }

  /**
   * The entities to {@linkcode watch} whose Transform has changed since this was asked last, by others
   * than the physics.
   */
  takeMoved(): readonly LiveEntity[] {
    const moved = this.#moved;
    if (moved.length === 0) return moved;
    for (const slot of moved) slot.isMoved = false;
    this.#moved = [];
    return moved;
  }

  /** Adds an entity below one that is there. */
  add(seed: LiveSeed): LiveEntity {
    this.#restructured(seed.layer !== "3d");
    const slot = this.#put(this.#nextId++, seed);
    this.#byTrait.add(slot);
    return slot;
  }

  /** Removes an entity with all below it. @returns Those that are gone, parents first. */
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
   * Shows an edited scene as it is now, in place of what was shown of it: entities that have not changed
   * stay the ones that they are.
   *
   * @param entities All of them, parents before their children.
   * @param changed Those that are new or have other values.
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

  /** The child of that name; the path goes down by names: `Cabin/Door`. Itself for `""`. */
  below(entity: LiveEntity, path: string): LiveEntity | undefined {
    if (path === "") return entity;
    let at: LiveEntity | undefined = entity;
    for (const name of path.split("/")) {
      at = this.#childrenOf(at.id).find((child) => child.name === name);
      if (at === undefined) return undefined;
    }
    return at;
  }

  /** Where an entity is in its layer's world. */
  placeOf(entity: LiveEntity): WorldPlace {
    const slot = this.#slotOf(entity);
    if (slot === undefined) throw new TypeError(`Entity ${entity.id} is not in the world`);
    return placeIn(slot);
  }

  /** Where its origin is there, which is less work than its whole place. */
  positionOf(entity: LiveEntity): Vec3 {
    const slot = this.#slotOf(entity);
    if (slot === undefined) throw new TypeError(`Entity ${entity.id} is not in the world`);
    return positionIn(slot);
  }

  /** The entity whose Transform moves this one as well, if any. */
  carrierOf(entity: LiveEntity): LiveEntity | undefined {
    return this.#slotOf(entity)?.carrier;
  }

  /** Grows with every change of the place of an entity, by itself or by one above it. */
  movesOf(entity: LiveEntity): number {
    const slot = this.#slotOf(entity);
    return slot === undefined ? 0 : movesIn(slot);
  }

  /** The same without those that have only turned the entity itself. */
  shiftsOf(entity: LiveEntity): number {
    const slot = this.#slotOf(entity);
    return slot === undefined ? 0 : movesIn(slot) - slot.turns;
  }

  /** What the world knows of an entity; its own entities are that themselves. */
  #slotOf(entity: LiveEntity): Slot | undefined {
    const slot = entity instanceof Slot ? entity : this.#slots.get(entity.id);
    return slot?.isThere === true ? slot : undefined;
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
    slot.isThere = false;
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

  /** @param isFlat Whether something of the 2D and UI layers has come or gone. */
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
function shownAs(slot: Slot): Entity {
  return slot.shown ??= snapshot(slot);
}

function snapshot({ id, guid, name, parentId, layer, traits }: LiveEntity): Entity {
  const copied = Object.entries(traits).map(([trait, fields]) => [trait, { ...fields }] as const);
  return { id, guid, name, parentId, layer, traits: Object.fromEntries(copied) };
}
