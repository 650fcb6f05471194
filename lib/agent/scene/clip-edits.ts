import { isRecord, type JsonObject, type JsonValue } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";

// Edits of content with a time axis. They change a copy; the writer validates the result.

/** The place of a key in an animation. */
export interface KeyPlace {
  /** A path of names below the Animator; its own entity when absent. */
  readonly target: string | undefined;
  /** `<Trait>.<field>`. */
  readonly field: string;
  /** Seconds. */
  readonly t: number;
}

/** Content with one thing changed. */
export interface ClipEdit {
  readonly content: JsonObject;
  /** Index of the changed track, or `null` if it was removed. */
  readonly track: number | null;
  /** Number of its keys or items after the change. */
  readonly count: number;
}

/** Times nearer than this are equal, in seconds. */
const SAME_TIME = 1e-6;

/** Adds a key, or replaces the key at that time; extends the clip if necessary. */
export function withKey(
  content: JsonObject,
  place: KeyPlace,
  key: { readonly value: JsonValue; readonly ease: string | undefined },
): ClipEdit {
  const tracks = [...objectsIn(content["tracks"])];
  const found = trackIndex(tracks, place);
  const index = found < 0 ? tracks.length : found;
  const old = tracks[index];
  const { t } = place;
  const before = objectsIn(old?.["keys"]).filter((one) => !isAt(one, t));
  const made: JsonObject = {
    t,
    value: key.value,
    ...(key.ease !== undefined && { ease: key.ease }),
  };
  const keys = [...before, made].toSorted((a, b) => timeOf(a) - timeOf(b));
  tracks[index] = {
    ...(place.target !== undefined && { target: place.target }),
    field: place.field,
    ...old,
    keys,
  };
  const length = Math.max(numberOrZero(content, "length"), t);
  return { content: { ...content, length, tracks }, track: index, count: keys.length };
}

/** Removes a key, and its track if that was the last key. */
export function withoutKey(content: JsonObject, place: KeyPlace): Result<ClipEdit, Problem> {
  const tracks = objectsIn(content["tracks"]);
  const index = trackIndex(tracks, place);
  const track = tracks[index];
  if (track === undefined) return noTrack(place, tracks);
  const keys = objectsIn(track["keys"]);
  const left = keys.filter((key) => !isAt(key, place.t));
  if (left.length === keys.length) {
    const times = keys.slice(0, 12).map(timeOf).join(", ");
    return refuse(
      404,
      "no-such-key",
      `There is no key at ${place.t} s in the track of ${place.field}`,
      `Its keys are at ${times}${keys.length > 12 ? ", …" : ""}`,
    );
  }
  const rest = left.length === 0
    ? tracks.filter((one) => one !== track)
    : tracks.map((one) => one === track ? { ...track, keys: left } : one);
  return ok({
    content: { ...content, tracks: rest },
    track: left.length === 0 ? null : index,
    count: left.length,
  });
}

/** Changes the length; with `stretch`, all keys move proportionally. */
export function withLength(
  content: JsonObject,
  length: number,
  { stretch }: { readonly stretch: boolean },
): JsonObject {
  const old = numberOrZero(content, "length");
  if (!stretch || old === 0) return { ...content, length };
  const factor = length / old;
  const tracks = objectsIn(content["tracks"]).map((track) => ({
    ...track,
    keys: objectsIn(track["keys"]).map((key) => ({
      ...key,
      t: Math.min(length, timeOf(key) * factor),
      // Tangents are change per second: the same change over more time is slower.
      ...scaled(key, "inTangent", 1 / factor),
      ...scaled(key, "outTangent", 1 / factor),
    })),
  }));
  return { ...content, length, tracks };
}

/** Multiplies a member that is a number or a list of numbers; returns no member if it is absent. */
function scaled(key: JsonObject, name: string, factor: number): JsonObject {
  const value = key[name];
  if (typeof value === "number") return { [name]: value * factor };
  if (!Array.isArray(value)) return {};
  return { [name]: value.map((part) => typeof part === "number" ? part * factor : part) };
}

/** The place of an item in a timeline. */
export interface ItemPlace {
  /** A new track when absent. */
  readonly track: number | undefined;
  /** A new item when absent. */
  readonly item: number | undefined;
}

/**
 * Adds, changes or (for `null`) removes an item of a timeline. Items stay in order of time; the
 * timeline is extended if necessary.
 *
 * @param fresh Content of a new track.
 */
export function withItem(
  content: JsonObject,
  { track, item }: ItemPlace,
  { fresh, members }: { readonly fresh: JsonObject; readonly members: JsonObject | null },
): Result<ClipEdit, Problem> {
  const tracks = [...objectsIn(content["tracks"])];
  if (track !== undefined && tracks[track] === undefined) return noPlace("track", track, tracks);
  const index = track ?? tracks.length;
  const old: JsonObject = tracks[index] ?? fresh;
  const items = [...objectsIn(old["items"])];
  if (item !== undefined && items[item] === undefined) return noPlace("item", item, items);
  if (members === null) items.splice(item ?? 0, item === undefined ? 0 : 1);
  else if (item === undefined) items.push(members);
  else items[item] = { ...items[item], ...members };
  items.sort((a, b) => timeOf(a) - timeOf(b));
  tracks[index] = { ...old, items };
  const left = items.length === 0 ? tracks.filter((_track, place) => place !== index) : tracks;
  const end = items.reduce((last, one) => Math.max(last, timeOf(one)), 0);
  return ok({
    content: { ...content, length: Math.max(numberOrZero(content, "length"), end), tracks: left },
    track: items.length === 0 ? null : index,
    count: items.length,
  });
}

/** Returns the start of a clip's last key or item, in seconds; 0 for an empty clip. */
export function lastTime(content: JsonObject): number {
  const parts = objectsIn(content["tracks"])
    .flatMap((track) => [...objectsIn(track["keys"]), ...objectsIn(track["items"])]);
  return parts.reduce((last, part) => Math.max(last, timeOf(part)), 0);
}

/** Returns the objects of a list; other items are dropped. */
export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return isList(value) ? value.filter(isObject) : [];
}

/** Returns a number of an object, or 0 if it is absent. */
export function numberOrZero(object: JsonObject, name: string): number {
  const value = object[name];
  return typeof value === "number" ? value : 0;
}

function timeOf(object: JsonObject): number {
  return numberOrZero(object, "t");
}

function isAt(key: JsonObject, t: number): boolean {
  return Math.abs(timeOf(key) - t) < SAME_TIME;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isObject(value: JsonValue): value is JsonObject {
  return isRecord(value);
}

function trackIndex(tracks: readonly JsonObject[], { target, field }: KeyPlace): number {
  return tracks.findIndex((track) =>
    track["field"] === field && (track["target"] ?? "") === (target ?? "")
  );
}

function noTrack(
  { target, field }: KeyPlace,
  tracks: readonly JsonObject[],
): Result<never, Problem> {
  const shown = tracks.slice(0, 8).map((track) =>
    `${typeof track["target"] === "string" ? `${track["target"]} ` : ""}${String(track["field"])}`
  );
  return refuse(
    404,
    "no-such-track",
    `There is no track of ${field}${target === undefined ? "" : ` for ${JSON.stringify(target)}`}`,
    tracks.length === 0
      ? "The animation has no tracks"
      : `It has ${shown.join(", ")}${tracks.length > 8 ? ", …" : ""}`,
  );
}

function noPlace(what: string, place: number, list: readonly unknown[]): Result<never, Problem> {
  return refuse(
    404,
    `no-such-${what}`,
    `There is no ${what} ${place}: found ${list.length} of them, counted from 0`,
    "get_timeline lists tracks; with track= items",
  );
}
