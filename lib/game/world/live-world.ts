import { eachOf, type Work } from "../../core/cooperative.ts";
import { type JsonValue, own } from "../../core/json.ts";
import type { World } from "../scene/world.ts";
import type { Entity, Vec3 } from "../types/mod.ts";
import { numberOr } from "../traits/value.ts";
import { placeBelow, positionBelow, type WorldPlace } from "../scene/transforms.ts";
import { type LiveEntity, type LiveSeed, Slot } from "./live-entity.ts";
import { Revisions } from "./revisions.ts";

export type { LiveEntity, LiveFields } from "./live-entity.ts";

/** The entities that have a trait. */
interface Listed {
  readonly entities: LiveEntity[];
  /** Whether somebody has this list, and may be going through it: it is not added to any more. */
  isSeen: boolean;
}

/**
 * The world of a playing game: a copy of the document's values that systems change in place. The
 * document itself never hears of it.
 */
export class LiveWorld implements World {
  readonly #slots = new Map<number, Slot>();
  readonly #guids = new Map<string, number>();
  readonly #byTrait = new Map<string, Listed>();
  /** Whether the list of every trait is there that an entity has. */
  #isListed = false;
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
    world.#isListed = true;
    yield* eachOf(entities, (entity) => world.#list(world.#begin(entity)));
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
    let listed = this.#byTrait.get(trait);
    if (listed === undefined) {
      const entities: LiveEntity[] = [];
      for (const slot of this.#isListed ? [] : this.#slots.values()) {
        if (own(slot.traits, trait) !== undefined) entities.push(slot);
      }
      listed = unseen(entities);
      this.#byTrait.set(trait, listed);
    }
    listed.isSeen = true;
    return listed.entities;
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

  /** Runs for all that moves in every step. @returns Whether that changed anything. */
  #pose(slot: Slot, at: Vec3 | null, euler: Vec3 | null): boolean {
    const { transform, moves: before } = slot;
    if (transform === undefined) return false;
    // Spelled out: names and indices known beforehand make this several times faster.
    if (at !== null) {
      const x = at[0], y = at[1], z = at[2];
      if (transform["x"] !== x && Number.isFinite(x)) {
        transform["x"] = x;
        slot.moves++;
      }
      if (transform["y"] !== y && Number.isFinite(y)) {
        transform["y"] = y;
        slot.moves++;
      }
      if (transform["z"] !== z && Number.isFinite(z)) {
        transform["z"] = z;
        slot.moves++;
      }
    }
    if (euler !== null) {
      const rx = euler[0], ry = euler[1], rz = euler[2];
      const shifted = slot.moves;
      if (transform["rx"] !== rx && Number.isFinite(rx)) {
        transform["rx"] = rx;
        slot.moves++;
      }
      if (transform["ry"] !== ry && Number.isFinite(ry)) {
        transform["ry"] = ry;
        slot.moves++;
      }
      if (transform["rz"] !== rz && Number.isFinite(rz)) {
        transform["rz"] = rz;
        slot.moves++;
      }
      slot.turns += slot.moves - shifted;
    }
    if (slot.moves === before) return false;
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
    this.#list(slot);
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
    const traits = new Set<string>();
    for (const slot of gone) {
      this.#drop(slot);
      this.#slots.delete(slot.id);
      this.#guids.delete(slot.guid);
      for (const trait of Object.keys(slot.traits)) traits.add(trait);
    }
    for (const trait of traits) {
      const listed = this.#byTrait.get(trait);
      if (listed === undefined) continue;
      this.#byTrait.set(trait, unseen(listed.entities.filter(({ id }) => !ids.has(id))));
    }
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
    this.#byTrait.clear();
    this.#isListed = false;
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
    return placeIn(slot, movesIn(slot));
  }

  /** Where its origin is there, which is less work than its whole place. */
  positionOf(entity: LiveEntity): Vec3 {
    const slot = this.#slotOf(entity);
    if (slot === undefined) throw new TypeError(`Entity ${entity.id} is not in the world`);
    const moves = movesIn(slot);
    if (slot.place !== null && slot.placedAt === moves) return slot.place.affine.offset;
    const { carrier } = slot;
    const above = carrier === undefined ? undefined : placeIn(carrier, moves - slot.moves);
    return positionBelow(above, slot.transform);
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

  #list(slot: Slot): void {
    for (const trait of Object.keys(slot.traits)) {
      const listed = this.#byTrait.get(trait);
      if (listed?.isSeen) this.#byTrait.set(trait, unseen([...listed.entities, slot]));
      else if (listed !== undefined) listed.entities.push(slot);
      else if (this.#isListed) this.#byTrait.set(trait, unseen([slot]));
    }
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

function unseen(entities: LiveEntity[]): Listed {
  return { entities, isSeen: false };
}

function movesIn(slot: Slot): number {
  let { moves, carrier } = slot;
  for (; carrier !== undefined; carrier = carrier.carrier) moves += carrier.moves;
  return moves;
}

/** @param moves Of the entity and of those above it. */
function placeIn(slot: Slot, moves: number): WorldPlace {
  if (slot.place !== null && slot.placedAt === moves) return slot.place;
  // Those above that have no place yet, lowest first: chains may be of any depth.
  const above: Slot[] = [];
  let sum = moves - slot.moves;
  let at = slot.carrier;
  while (at !== undefined && (at.place === null || at.placedAt !== sum)) {
    above.push(at);
    sum -= at.moves;
    at = at.carrier;
  }
  let place = at?.place ?? undefined;
  for (let next = above.pop(); next !== undefined; next = above.pop()) {
    sum += next.moves;
    place = placed(next, sum, place);
  }
  return placed(slot, moves, place);
}

function placed(slot: Slot, moves: number, above: WorldPlace | undefined): WorldPlace {
  const place = placeBelow(above, slot.transform);
  slot.place = place;
  slot.placedAt = moves;
  return place;
}

/** An entity as others see it: the same value as long as it has not changed. */
function shownAs(slot: Slot): Entity {
  return slot.shown ??= snapshot(slot);
}

function snapshot({ id, guid, name, parentId, layer, traits }: LiveEntity): Entity {
  const copied = Object.entries(traits).map(([trait, fields]) => [trait, { ...fields }] as const);
  return { id, guid, name, parentId, layer, traits: Object.fromEntries(copied) };
}
