import { isJsonValue, isRecord, type JsonValue } from "../../core/json.ts";
import { hermite, slerp } from "../geometry/splines.ts";
import { ROTATION_FIELD } from "../traits/motion.ts";

/** A key of a track. */
export interface Key {
  /** Seconds. */
  readonly t: number;
  readonly value: JsonValue;
  readonly ease: string;
  /** Incoming change per second of a cubic spline; empty otherwise. */
  readonly into: readonly number[];
  /** Change per second when it leaves. */
  readonly out: readonly number[];
}

/** The keys of one field of one entity. */
export interface ClipTrack {
  /** Names of children on the way down; `""` is the entity itself. */
  readonly target: string;
  readonly trait: string;
  readonly field: string;
  /** Whether its keys are quaternions ({@linkcode ROTATION_FIELD}). */
  readonly isRotation: boolean;
  /** In order of time, at least one. */
  readonly keys: readonly Key[];
}

/** An animation (`*.anim.json`). */
export interface Clip {
  /** Seconds, more than 0. */
  readonly length: number;
  readonly loop: boolean;
  readonly tracks: readonly ClipTrack[];
}

/** An item of a timeline's track. */
export interface TimelineItem {
  /** Seconds. */
  readonly t: number;
  /** Seconds; until the timeline's end if the file has none. */
  readonly duration: number;
  /** Guid of an animation or a sound. */
  readonly clip: string;
  readonly signal: string;
  readonly active: boolean;
}

/** A timeline (`*.timeline.json`). */
export interface TimelinePlan {
  /** Seconds, more than 0. */
  readonly length: number;
  readonly loop: boolean;
  readonly tracks: readonly {
    readonly type: string;
    readonly target: string;
    readonly items: readonly TimelineItem[];
  }[];
}

/** Parses an animation; drops invalid parts, `null` if nothing is valid. */
export function readClip(content: unknown): Clip | null {
  if (!isRecord(content)) return null;
  const length = positive(content["length"]);
  if (length === null) return null;
  const tracks = listIn(content, "tracks").flatMap((track): readonly ClipTrack[] => {
    const path = textIn(track, "field");
    const dot = path.indexOf(".");
    const keys = listIn(track, "keys").flatMap((key): readonly Key[] => {
      const { t, value } = key;
      if (typeof t !== "number" || !isJsonValue(value)) return [];
      const [into, out] = [numbersOf(key["inTangent"]), numbersOf(key["outTangent"])];
      return [{ t, value, ease: textIn(key, "ease"), into, out }];
    }).sort((a, b) => a.t - b.t);
    if (dot < 1 || keys.length === 0) return [];
    const [trait, field] = [path.slice(0, dot), path.slice(dot + 1)];
    const isRotation = path === ROTATION_FIELD;
    return [{ target: textIn(track, "target"), trait, field, isRotation, keys }];
  });
  return { length, loop: content["loop"] !== false, tracks };
}

/** Reads a timeline as {@linkcode readClip} reads an animation. */
export function readTimeline(content: unknown): TimelinePlan | null {
  if (!isRecord(content)) return null;
  const length = positive(content["length"]);
  if (length === null) return null;
  const tracks = listIn(content, "tracks").map((track) => ({
    type: textIn(track, "type"),
    target: textIn(track, "target"),
    items: listIn(track, "items").flatMap((item): readonly TimelineItem[] => {
      const { t, duration } = item;
      if (typeof t !== "number") return [];
      return [{
        t,
        duration: typeof duration === "number" ? duration : length - t,
        clip: textIn(item, "clip"),
        signal: textIn(item, "signal"),
        active: item["active"] !== false,
      }];
    }).sort((a, b) => a.t - b.t),
  }));
  return { length, loop: content["loop"] === true, tracks };
}

/** Reads a set of animations: guids by name. */
export function readAnimset(content: unknown): ReadonlyMap<string, string> | null {
  const clips = isRecord(content) ? content["clips"] : undefined;
  if (!isRecord(clips)) return null;
  return new Map(
    Object.entries(clips).flatMap(([name, guid]) => typeof guid === "string" ? [[name, guid]] : []),
  );
}

/**
 * Returns the value of a track at a time, constant before the first key and after the last one.
 * Numbers interpolate as the earlier key specifies; rotations (four numbers) along the shortest
 * arc, or along their spline.
 */
export function sample({ keys }: ClipTrack, t: number): JsonValue {
  let [low, high] = [0, keys.length]; // the first key after t
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle]?.t ?? 0) > t) high = middle;
    else low = middle + 1;
  }
  const [before, after] = [keys[low - 1], keys[low]];
  if (before === undefined || after === undefined) return (before ?? after)?.value ?? null;
  return between(before, after, t);
}

function between(from: Key, to: Key, t: number): JsonValue {
  const { value: a, ease } = from;
  const b = to.value;
  const length = to.t - from.t;
  const x = (t - from.t) / length;
  if (typeof a === "number" && typeof b === "number" && ease !== "cubic") {
    return ease === "step" ? a : a + (b - a) * eased(ease, x);
  }
  const [start, end] = [numbersOf(a), numbersOf(b)];
  if (start.length === 0 || start.length !== end.length || ease === "step") return a;
  const mixed = ease === "cubic"
    ? hermite({ start, out: from.out, end, into: to.into }, x, length)
    : start.length === 4
    ? slerp(start, end, eased(ease, x))
    : start.map((value, place) => value + ((end[place] ?? 0) - value) * eased(ease, x));
  return typeof a === "number" ? mixed[0] ?? a : mixed;
}

function eased(ease: string, x: number): number {
  switch (ease) {
    case "in":
      return x * x;
    case "out":
      return x * (2 - x);
    case "inOut":
      return x < 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
    default:
      return x;
  }
}

/** Returns a number or a list of numbers as a list; empty for anything else. */
function numbersOf(value: unknown): readonly number[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const numbers = list.filter((one) => typeof one === "number");
  return numbers.length === list.length ? numbers : [];
}

function listIn(record: Readonly<Record<string, unknown>>, name: string) {
  const list = record[name];
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function textIn(record: Readonly<Record<string, unknown>>, name: string): string {
  const value = record[name];
  return typeof value === "string" ? value : "";
}

function positive(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : null;
}
