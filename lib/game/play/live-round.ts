import { isRecord } from "../../core/json.ts";
import { err, type Failure, ok, type Result } from "../../core/result.ts";
import { Complaints } from "../../core/shape.ts";
import { MAX_ENTITIES } from "../scene/mod.ts";
import type { Entity, InputEvent, TraitFields, Viewport } from "../types/mod.ts";
import { readEvents, readSaved, readViewport, wholeNumber } from "./recording.ts";

/**
 * A game that plays elsewhere, as far as it is: with its start and all that it was given, the same
 * game can be played here, and followed from then on.
 */
export interface LiveRound {
  /** Which game of the editor it is. */
  readonly round: number;
  /** The scene that it began in, relative to the project. */
  readonly scenePath: string;
  /** That scene at the start, also what was not saved, with the ids that the game knows. */
  readonly entities: readonly Entity[];
  /** The id of the next entity that comes into it. */
  readonly nextId: number;
  /** Pixels in which pointers counted at the start. */
  readonly viewport: Viewport;
  /** What the game had kept before, by name. */
  readonly saved: Readonly<Record<string, number>>;
  /** What came when so many steps were made, in its order. */
  readonly events: readonly (readonly [tick: number, event: InputEvent])[];
  /** Steps that were made. */
  readonly tick: number;
  /** Whether what no event tells has changed it: played here, it would be another. */
  readonly offRecord: boolean;
}

/** Events of a round that came together; `first` counts those of the round before them. */
export interface TakenEvents {
  readonly round: number;
  readonly first: number;
  readonly events: LiveRound["events"];
}

/** Reads a round as it was sent. All or nothing: a sentence for each member that is wrong. */
export function readLiveRound(value: unknown): Result<LiveRound, Failure<"invalid-round">> {
  const complaints = new Complaints();
  const round = liveRoundIn(value, complaints);
  if (round !== null && complaints.total === 0) return ok(round);
  return err({
    code: "invalid-round",
    message: `Cannot follow the round: ${complaints.sentences().join("; ")}`,
    next: "Ask for it again, of a service of the same version",
  });
}

/** Reads events of a round as they were sent; `null` where they are none. */
export function readTakenEvents(value: unknown): TakenEvents | null {
  if (!isRecord(value)) return null;
  const complaints = new Complaints();
  const most = Number.MAX_SAFE_INTEGER;
  const round = wholeNumber("round", value["round"], most, complaints);
  const first = wholeNumber("first", value["first"], most, complaints);
  const events = readEvents(value["events"], most, complaints);
  if (round === null || first === null || complaints.total > 0) return null;
  return { round, first, events };
}

function liveRoundIn(value: unknown, complaints: Complaints): LiveRound | null {
  if (!isRecord(value)) {
    complaints.expected("", value, "an object");
    return null;
  }
  const { scenePath, offRecord } = value;
  const most = Number.MAX_SAFE_INTEGER;
  const round = wholeNumber("round", value["round"], most, complaints);
  const nextId = wholeNumber("nextId", value["nextId"], most, complaints);
  const tick = wholeNumber("tick", value["tick"], most, complaints);
  const viewport = readViewport(value["viewport"], complaints);
  const saved = readSaved(value["saved"], complaints);
  const events = readEvents(value["events"], most, complaints);
  const entities = entitiesIn(value["entities"], complaints);
  if (typeof scenePath !== "string") complaints.expected("scenePath", scenePath, "a path");
  if (typeof offRecord !== "boolean") complaints.expected("offRecord", offRecord, "true or false");
  if (round === null || nextId === null || tick === null || viewport === null) return null;
  if (typeof scenePath !== "string" || typeof offRecord !== "boolean") return null;
  return { round, scenePath, entities, nextId, viewport, saved, events, tick, offRecord };
}

/** Parents stand before their children, as a document has them. */
function entitiesIn(value: unknown, complaints: Complaints): readonly Entity[] {
  if (!Array.isArray(value) || value.length > MAX_ENTITIES) {
    complaints.expected("entities", value, `a list of at most ${MAX_ENTITIES}`);
    return [];
  }
  const known = new Set<number>();
  const entities: Entity[] = [];
  for (const [index, one] of value.entries()) {
    const entity = entityIn(one);
    const isPlaced = entity !== null && !known.has(entity.id) &&
      (entity.parentId === null || known.has(entity.parentId));
    if (!isPlaced) {
      complaints.expected(`entities[${index}]`, one, "an entity after its parent");
      continue;
    }
    known.add(entity.id);
    entities.push(entity);
  }
  return entities;
}

function entityIn(value: unknown): Entity | null {
  if (!isRecord(value)) return null;
  const { id, guid, name, parentId, layer, traits } = value;
  if (typeof id !== "number" || !Number.isSafeInteger(id)) return null;
  if (typeof guid !== "string" || typeof name !== "string") return null;
  if (parentId !== null && typeof parentId !== "number") return null;
  if (layer !== "3d" && layer !== "2d" && layer !== "ui") return null;
  const read = isRecord(traits) ? traitsIn(traits) : null;
  return read === null ? null : { id, guid, name, parentId, layer, traits: read };
}

function traitsIn(value: Readonly<Record<string, unknown>>): Entity["traits"] | null {
  const traits: [string, TraitFields][] = [];
  for (const [name, fields] of Object.entries(value)) {
    if (!isFields(fields)) return null;
    traits.push([name, fields]);
  }
  return Object.fromEntries(traits);
}

/** What was parsed of JSON has no member that is undefined. */
function isFields(value: unknown): value is TraitFields {
  return isRecord(value);
}
