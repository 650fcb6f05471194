import { type JsonValue, own } from "../../core/json.ts";
import type { World } from "../scene/world.ts";
import type { Entity, Layer, TraitFields, Vec3 } from "../types/mod.ts";
import { type WorldPlace, worldPlaces } from "../scene/transforms.ts";

/** The fields of one trait while a game plays. */
export type LiveFields = Record<string, JsonValue>;

/** An entity of the playing world. Change it through {@linkcode LiveWorld} only. */
export interface LiveEntity {
  readonly id: number;
  readonly guid: string;
  readonly name: string;
  readonly parentId: number | null;
  readonly layer: Layer;
  readonly traits: Readonly<Record<string, LiveFields>>;
}

/** An entity that comes into the playing world. */
export interface LiveSeed {
  readonly guid: string;
  readonly name: string;
  readonly parentId: number | null;
  readonly layer: Layer;
  readonly traits: Readonly<Record<string, TraitFields>>;
}

interface Slot {
  readonly live: LiveEntity;
  /** The entity as it was shown last; `null` when it has changed since. */
  shown: Entity | null;
  /** Counts changes of its Transform. */
  moves: number;
  /** Where it was found last, at so many moves of its own and of those above it. */
  place: { readonly moves: number; readonly value: WorldPlace } | null;
}

/**
 * The world of a playing game: a copy of the document's values that systems change in place. The
 * document itself never hears of it.
 */
export class LiveWorld implements World {
  readonly #slots = new Map<number, Slot>();
  readonly #guids = new Map<string, number>();
  readonly #byTrait = new Map<string, readonly LiveEntity[]>();
  #byParent: ReadonlyMap<number | null, readonly LiveEntity[]> | null = null;
  #nextId = 1;
  #rev: number;
  #shown: readonly Entity[] | null = null;
  #moved = new Set<number>();

  /** @param rev Where its revisions go on from. */
  constructor(entities: readonly Entity[], rev: number) {
    this.#rev = rev;
    for (const entity of entities) {
      this.#put(entity.id, entity);
      this.#nextId = Math.max(this.#nextId, entity.id + 1);
    }
  }

  get rev(): number {
    return this.#rev;
  }

  entities(): readonly Entity[] {
    this.#shown ??= [...this.#slots.values()].map((slot) => {
      slot.shown ??= snapshot(slot.live);
      return slot.shown;
    });
    return this.#shown;
  }

  get(id: number): LiveEntity | undefined {
    return this.#slots.get(id)?.live;
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
    for (const { live } of this.#slots.values()) if (live.name === name) return live;
    return undefined;
  }

  /** The entities that have a trait, parents before their children, later ones last. */
  having(trait: string): readonly LiveEntity[] {
    let found = this.#byTrait.get(trait);
    if (found === undefined) {
      const all: LiveEntity[] = [];
      for (const { live } of this.#slots.values()) {
        if (own(live.traits, trait) !== undefined) all.push(live);
      }
      found = all;
      this.#byTrait.set(trait, found);
    }
    return found;
  }

  /** Sets one field of a trait that the entity has. @returns Whether that changed anything. */
  set(
    entity: LiveEntity,
    path: readonly [trait: string, field: string],
    value: JsonValue,
  ): boolean {
    const [trait, field] = path;
    const fields = own(entity.traits, trait);
    const slot = this.#slots.get(entity.id);
    if (fields === undefined || slot === undefined || fields[field] === value) return false;
    fields[field] = value;
    if (trait === "Transform") {
      slot.moves++;
      this.#moved.add(entity.id);
    }
    this.#changed(slot);
    return true;
  }

  /** Sets some numbers of the Transform, where it has one. */
  move(entity: LiveEntity, fields: Readonly<Record<string, number>>): void {
    const slot = this.#slots.get(entity.id);
    const transform = entity.traits["Transform"];
    if (slot === undefined || transform === undefined) return;
    const before = slot.moves;
    for (const name of Object.keys(fields)) {
      const value = fields[name];
      if (value === undefined || !Number.isFinite(value) || transform[name] === value) continue;
      transform[name] = value;
      slot.moves++;
    }
    if (slot.moves === before) return;
    this.#changed(slot);
    this.#moved.add(entity.id);
  }

  /**
   * Puts an entity that has a Transform where the physics has taken it: {@linkcode move} for what
   * happens to every body in every step.
   *
   * @param euler `null` leaves the rotation as it is.
   * @returns Its own share of {@linkcode movesOf}.
   */
  setPose(entity: LiveEntity, [x, y, z]: Vec3, euler: Vec3 | null): number {
    const slot = this.#slots.get(entity.id);
    const transform = entity.traits["Transform"];
    if (slot === undefined || transform === undefined) return slot?.moves ?? 0;
    const before = slot.moves;
    // Spelled out: names known beforehand make this several times faster, and it is what a step does.
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
    if (euler !== null) this.#turn(slot, transform, euler);
    if (slot.moves !== before) this.#changed(slot);
    return slot.moves;
  }

  #turn(slot: Slot, transform: LiveFields, [rx, ry, rz]: Vec3): void {
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
  }

  /** The entities whose Transform has changed since this was asked last, by others than the physics. */
  takeMoved(): ReadonlySet<number> {
    const moved = this.#moved;
    this.#moved = new Set();
    return moved;
  }

  /** Adds an entity below one that is there. */
  add(seed: LiveSeed): LiveEntity {
    const live = this.#put(this.#nextId++, seed);
    this.#restructured();
    return live;
  }

  /** Removes an entity with all below it. @returns Those that are gone, parents first. */
  remove(id: number): readonly LiveEntity[] {
    const gone: LiveEntity[] = [];
    const ids = new Set([id]);
    for (const { live } of this.#slots.values()) {
      if (live.parentId !== null && ids.has(live.parentId)) ids.add(live.id);
      if (ids.has(live.id)) gone.push(live);
    }
    for (const { id, guid } of gone) {
      this.#slots.delete(id);
      this.#guids.delete(guid);
    }
    if (gone.length > 0) this.#restructured();
    return gone;
  }

  /** The child of that name; the path goes down by names: `Cabin/Door`. Itself for `""`. */
  below(entity: LiveEntity, path: string): LiveEntity | undefined {
    let at: LiveEntity | undefined = entity;
    for (const name of path === "" ? [] : path.split("/")) {
      at = this.#childrenOf(at.id).find((child) => child.name === name);
      if (at === undefined) return undefined;
    }
    return at;
  }

  /** Where an entity is in its layer's world. */
  placeOf(entity: LiveEntity): WorldPlace {
    const slot = this.#slots.get(entity.id);
    const moves = this.movesOf(entity);
    if (slot?.place?.moves === moves) return slot.place.value;
    const value = worldPlaces(this.#lineOf(entity)).get(entity.id);
    if (slot === undefined || value === undefined) {
      throw new TypeError(`Entity ${entity.id} is not in the world`);
    }
    slot.place = { moves, value };
    return value;
  }

  /** The entity whose Transform moves this one as well, if any. */
  carrierOf(entity: LiveEntity): LiveEntity | undefined {
    const parent = entity.parentId === null ? undefined : this.get(entity.parentId);
    return parent?.layer === entity.layer ? parent : undefined;
  }

  /** Grows with every change of the place of an entity, by itself or by one above it. */
  movesOf(entity: LiveEntity): number {
    let moves = 0;
    for (let at: LiveEntity | undefined = entity; at !== undefined; at = this.carrierOf(at)) {
      moves += this.#slots.get(at.id)?.moves ?? 0;
    }
    return moves;
  }

  #childrenOf(id: number): readonly LiveEntity[] {
    if (this.#byParent === null) {
      const byParent = new Map<number | null, LiveEntity[]>();
      for (const { live } of this.#slots.values()) {
        const siblings = byParent.get(live.parentId) ?? [];
        siblings.push(live);
        byParent.set(live.parentId, siblings);
      }
      this.#byParent = byParent;
    }
    return this.#byParent.get(id) ?? [];
  }

  #lineOf(entity: LiveEntity): readonly LiveEntity[] {
    const line: LiveEntity[] = [];
    for (let at: LiveEntity | undefined = entity; at !== undefined;) {
      line.push(at);
      at = at.parentId === null ? undefined : this.get(at.parentId);
    }
    return line.reverse();
  }

  #put(id: number, { guid, name, parentId, layer, traits }: LiveSeed): LiveEntity {
    const copied = Object.entries(traits).map(([trait, fields]) => [trait, { ...fields }] as const);
    const live = { id, guid, name, parentId, layer, traits: Object.fromEntries(copied) };
    this.#slots.set(id, { live, shown: null, moves: 0, place: null });
    this.#guids.set(guid, id);
    return live;
  }

  #changed(slot: Slot): void {
    slot.shown = null;
    this.#shown = null;
    this.#rev++;
  }

  #restructured(): void {
    this.#byTrait.clear();
    this.#byParent = null;
    this.#shown = null;
    this.#rev++;
  }
}

function snapshot({ id, guid, name, parentId, layer, traits }: LiveEntity): Entity {
  const copied = Object.entries(traits).map(([trait, fields]) => [trait, { ...fields }] as const);
  return { id, guid, name, parentId, layer, traits: Object.fromEntries(copied) };
}
