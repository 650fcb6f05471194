import type { JsonValue } from "../../core/json.ts";
import type { Entity, Layer, TraitFields } from "../types/mod.ts";
import type { WorldPlace } from "../scene/transforms.ts";

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

/** An entity to be added to the running world. */
export interface LiveSeed {
  readonly guid: string;
  readonly name: string;
  readonly parentId: number | null;
  readonly layer: Layer;
  readonly traits: Readonly<Record<string, TraitFields>>;
}

/** An entity with its world's data about it. */
export class Slot implements LiveEntity {
  readonly id: number;
  readonly guid: string;
  readonly name: string;
  readonly parentId: number | null;
  readonly layer: Layer;
  readonly traits: Readonly<Record<string, LiveFields>>;
  /** Its Transform, at hand: every entity has other traits, among which that is searched for. */
  readonly transform: LiveFields | undefined;
  /** The ancestor whose Transform also moves this entity. */
  readonly carrier: Slot | undefined;
  isInWorld = true;
  /** Index in the world's revisions. */
  index = -1;
  /** The entity as it was shown last; `null` when it has changed since. */
  shown: Entity | null = null;
  /** Counts changes of its Transform. */
  moves = 0;
  /** How many of these only rotated it. */
  turns = 0;
  /** Whether the physics asks when others move it. */
  isWatched = false;
  /** Whether something other than the physics has moved it since the last query. */
  isMoved = false;
  /** Its last computed place, and the sum of its own and its ancestors' moves at that time. */
  place: WorldPlace | null = null;
  placedAt = -1;

  constructor(
    id: number,
    { guid, name, parentId, layer, traits }: LiveSeed,
    parent: Slot | undefined,
  ) {
    this.id = id;
    this.guid = guid;
    this.name = name;
    this.parentId = parentId;
    this.layer = layer;
    const copied = Object.entries(traits).map(([trait, fields]) => [trait, { ...fields }] as const);
    this.traits = Object.fromEntries(copied);
    this.transform = this.traits["Transform"];
    this.carrier = parent?.layer === layer ? parent : undefined;
  }
}
