import { isRecord } from "../../core/json.ts";
import { err, type Failure, ok, type Result } from "../../core/result.ts";
import { Complaints } from "../../core/shape.ts";
import { MAX_ENTITIES } from "../scene/mod.ts";
import type { Entity, InputEvent, TraitFields, Viewport } from "../types/mod.ts";
import { readEvents, readInteger, readSaved, readViewport } from "./recording.ts";

/**
 * A game running elsewhere, up to now: from its start and its input, a copy can be played here and
 * followed.
 */
export interface LiveRound {
  /** Number of the game in its editor. */
  readonly round: number;
  /** The scene that it began in, relative to the project. */
  readonly scenePath: string;
  /** That scene at the start, including unsaved changes, with the ids that the game uses. */
  readonly entities: readonly Entity[];
  /** Id of the next entity added to it. */
  readonly nextId: number;
  /** Size of the viewport at the start, to whose pixels pointers refer. */
  readonly viewport: Viewport;
  /** Values saved by earlier games, by name. */
  readonly saved: Readonly<Record<string, number>>;
  /** Input by the number of completed steps, in order. */
  readonly events: readonly (readonly [tick: number, event: InputEvent])[];
  /** Steps that were made. */
  readonly tick: number;
  /** Whether something other than an event has changed it, so that a copy would differ. */
  readonly offRecord: boolean;
}

/** Consecutive events of a round; `first` counts the round's earlier ones. */
export interface TakenEvents {
  readonly round: number;
  readonly first: number;
  readonly events: LiveRound["events"];
}

/** Parses a received round, all or nothing. @returns A sentence for each invalid member. */
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

/** Parses received events of a round; `null` if they are invalid. */
export function readTakenEvents(value: unknown): TakenEvents | null {
  if (!isRecord(value)) return null;
  const complaints = new Complaints();
  const most = Number.MAX_SAFE_INTEGER;
  const round = readInteger("round", value["round"], most, complaints);
  const first = readInteger("first", value["first"], most, complaints);
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
  const round = readInteger("round", value["round"], most, complaints);
  const nextId = readInteger("nextId", value["nextId"], most, complaints);
  const tick = readInteger("tick", value["tick"], most, complaints);
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

/** Parents precede their children, as in a document. */
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

/** Parsed JSON has no undefined members. */
function isFields(value: unknown): value is TraitFields {
  return isRecord(value);
}
