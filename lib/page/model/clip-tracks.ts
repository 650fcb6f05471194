import {
  isJsonObject,
  isJsonValue,
  isRecord,
  type JsonObject,
  type JsonValue,
} from "../../core/json.ts";

// An animation or a timeline for the panel: the content of its file, by track.

/** A key of an animation, or an item of a timeline. */
export interface ClipPart {
  /** Its place in the file's list, as tools count it. */
  readonly index: number;
  /** Seconds. */
  readonly t: number;
  /** Seconds; `null` for a key, and for an item without one. */
  readonly duration: number | null;
  /** Value of a key. */
  readonly value: JsonValue;
  /** Interpolation from a key to the next one. */
  readonly ease: string;
  /** Guid of the clip that an item plays; empty for none. */
  readonly clip: string;
  /** Short label: a value, a signal, on or off. */
  readonly text: string;
}

/** A track. */
export interface TimelineTrack {
  /** Its place in the file. */
  readonly index: number;
  /** Names on the way down from the entity that plays it; empty for that itself. */
  readonly target: string;
  /** Field of an animation's track: `Transform.y`. */
  readonly field: string;
  /** Type of a timeline's track: `animation`, `signal`, `activation`, `audio`. */
  readonly type: string;
  readonly parts: readonly ClipPart[];
}

/** A clip as it is shown. */
export interface PageClip {
  readonly kind: "animation" | "timeline";
  /** Seconds. */
  readonly length: number;
  readonly loop: boolean;
  readonly tracks: readonly TimelineTrack[];
}

/** Times nearer than this are one, in seconds. */
const SAME_TIME = 1e-6;

/** Parses the content of an asset of that type; `null` if it is not a clip. */
export function clipFrom(type: string, content: unknown): PageClip | null {
  if ((type !== "animation" && type !== "timeline") || !isRecord(content)) return null;
  const { length, loop } = content;
  if (typeof length !== "number" || !(length > 0)) return null;
  const tracks = recordsIn(content["tracks"]).map((track, index) => ({
    index,
    target: textIn(track, "target"),
    field: textIn(track, "field"),
    type: textIn(track, "type"),
    parts: recordsIn(track[listName(type)]).map(partOf),
  }));
  return {
    kind: type,
    length,
    loop: type === "animation" ? loop !== false : loop === true,
    tracks,
  };
}

/**
 * The tracks of an animation with one key at another time; a key that is there already makes room.
 *
 * @returns `null` when there is no such key.
 */
export function withKeyAt(
  content: JsonObject,
  { track, index, t }: { readonly track: number; readonly index: number; readonly t: number },
): JsonValue[] | null {
  const tracks = listIn(content["tracks"]).filter(isJsonObject);
  const found = tracks[track];
  const keys = listIn(found?.["keys"]).filter(isJsonObject);
  const moved = keys[index];
  if (found === undefined || moved === undefined) return null;
  const others = keys.filter((key, n) => n !== index && Math.abs(Number(key["t"]) - t) > SAME_TIME);
  const placed = [...others, { ...moved, t }].toSorted((a, b) => Number(a["t"]) - Number(b["t"]));
  return tracks.map((one) => one === found ? { ...found, keys: placed } : one);
}

/** Returns the labelled lines of a ruler, in seconds; about as many as fit. */
export function rulerTicks(length: number, room: number): readonly number[] {
  const rough = length / Math.max(1, room);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough;
  return Array.from(
    { length: Math.floor(length / step + SAME_TIME) + 1 },
    (_, n) => Number((n * step).toPrecision(6)),
  );
}

function partOf(part: Readonly<Record<string, unknown>>, index: number): ClipPart {
  const { t, duration, value, ease, active } = part;
  const [clip, signal] = [textIn(part, "clip"), textIn(part, "signal")];
  const shown = isJsonValue(value) ? value : null;
  return {
    index,
    t: typeof t === "number" ? t : 0,
    duration: typeof duration === "number" ? duration : null,
    value: shown,
    ease: typeof ease === "string" ? ease : "linear",
    clip,
    text: signal !== ""
      ? signal
      : typeof active === "boolean"
      ? (active ? "on" : "off")
      : shown === null
      ? ""
      : JSON.stringify(shown).slice(0, 80),
  };
}

function listName(type: "animation" | "timeline"): string {
  return type === "animation" ? "keys" : "items";
}

function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function textIn(record: Readonly<Record<string, unknown>>, name: string): string {
  const value = record[name];
  return typeof value === "string" ? value : "";
}
