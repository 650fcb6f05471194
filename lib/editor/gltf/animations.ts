import type { Work } from "../../core/cooperative.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { MAX_MORPHS, ROTATION_FIELD } from "../../game/traits/mod.ts";
import { each } from "./each.ts";
import type { NumberList, Numbers } from "./numbers.ts";
import type { AnimationOutline, ChannelOutline } from "./outline-types.ts";

/** An imported animation, and what it lost. */
export interface ImportedClip {
  /** Content of an `*.anim.json`; `null` if nothing remains. */
  readonly content: JsonObject | null;
  /** The losses, in few words each. */
  readonly lost: readonly string[];
}

/** The length of a clip that has no duration: one step of the game, in seconds. */
const SHORTEST = 1 / 60;

/** A key of a channel: all of its numbers. */
interface Key {
  readonly t: number;
  readonly values: readonly number[];
  /** Of a cubic spline, per second. */
  readonly tangents: { readonly into: readonly number[]; readonly out: readonly number[] } | null;
}

/**
 * Converts an animation to tracks with the file's keys and the tangents of cubic splines.
 * Positions, scales and weights become tracks of single numbers; rotations stay quaternions,
 * because only quaternions interpolate as glTF specifies (glTF 2.0, appendix C).
 *
 * @param paths Names from the top to each node.
 */
export function* clipContent(
  animation: AnimationOutline,
  paths: ReadonlyMap<number, string>,
  numbers: Numbers,
): Work<ImportedClip> {
  const lost = new Set<string>();
  const tracks: JsonObject[] = [];
  let length = SHORTEST;
  for (const channel of animation.channels) {
    const target = channel.node === undefined ? undefined : paths.get(channel.node);
    const isKnown = ["translation", "rotation", "scale", "weights"].includes(channel.path);
    if (!isKnown) lost.add(channel.path);
    if (!isKnown || target === undefined) continue;
    const keys = yield* keysOf(channel, numbers);
    if (keys === null) {
      lost.add("compressed keys");
      continue;
    }
    length = Math.max(length, keys.at(-1)?.t ?? 0);
    const steps = channel.interpolation === "STEP";
    if (channel.path === "rotation") {
      if (keys.length > 0) {
        tracks.push({ target, field: ROTATION_FIELD, keys: yield* turns(keys, steps) });
      }
      continue;
    }
    if (weightsOf(channel, numbers) > MAX_MORPHS) {
      lost.add(`weights of morph targets beyond ${MAX_MORPHS}`);
    }
    const fields = fieldsOf(channel.path, keys[0]?.values.length ?? 0);
    for (const [place, field] of fields.entries()) {
      yield;
      if (keys.length > 0) {
        tracks.push({ target, field, keys: yield* numbersOf(keys, place, steps) });
      }
    }
  }
  return {
    content: tracks.length === 0 ? null : { schema: 1, length, loop: true, tracks },
    lost: [...lost],
  };
}

function fieldsOf(path: string, count: number): readonly string[] {
  if (path === "weights") return Array.from({ length: count }, (_none, at) => `Morph.w${at}`);
  return ["x", "y", "z"].map((axis) => `Transform.${path === "scale" ? "s" : ""}${axis}`);
}

/** Returns the keys of one number; a single key if it never changes. */
function* numbersOf(
  keys: readonly Key[],
  place: number,
  steps: boolean,
): Work<readonly JsonValue[]> {
  const at = (values: readonly number[] | undefined) => values?.[place] ?? 0;
  const first = at(keys[0]?.values);
  const isSame = ({ values, tangents }: Key) =>
    at(values) === first && at(tangents?.into) === 0 && at(tangents?.out) === 0;
  if (yield* isEvery(keys, isSame)) return [{ t: keys[0]?.t ?? 0, value: first }];
  return yield* each(keys, ({ t, values, tangents }) => ({
    t,
    value: at(values),
    ...(steps && { ease: "step" }),
    ...(tangents !== null &&
      { ease: "cubic", inTangent: at(tangents.into), outTangent: at(tangents.out) }),
  }));
}

/** The keys of a rotation, as quaternions x, y, z, w. */
function* turns(keys: readonly Key[], steps: boolean): Work<readonly JsonValue[]> {
  const [first] = keys;
  const isSame = ({ values, tangents }: Key) =>
    tangents === null && values.every((value, place) => value === first?.values[place]);
  const isConstant = yield* isEvery(keys, isSame);
  return yield* each(isConstant ? keys.slice(0, 1) : keys, ({ t, values, tangents }) => ({
    t,
    value: values,
    ...(steps && !isConstant && { ease: "step" }),
    ...(tangents !== null &&
      { ease: "cubic", inTangent: tangents.into, outTangent: tangents.out }),
  }));
}

function* isEvery(keys: readonly Key[], fits: (key: Key) => boolean): Work<boolean> {
  for (const [index, key] of keys.entries()) {
    if (index % KEYS_AT_ONCE === KEYS_AT_ONCE - 1) yield;
    if (!fits(key)) return false;
  }
  return true;
}

/** Keys that are read before others get their turn. */
const KEYS_AT_ONCE = 1024;

/** The keys of a channel in order of time; `null` when they are compressed. */
function* keysOf(channel: ChannelOutline, numbers: Numbers): Work<readonly Key[] | null> {
  const times = numbers.get(channel.input);
  const output = numbers.get(channel.output);
  if (times === undefined || output === undefined) return null;
  const isCubic = channel.interpolation === "CUBICSPLINE";
  const size = channel.path === "weights" ? weightsOf(channel, numbers) : 1;
  const most = Math.min(size, MAX_MORPHS); // no more can be followed
  const group = (index: number): readonly number[] =>
    Array.from({ length: most }, (_none, at) => elementOf(output, index * size + at)).flat();
  const keys: Key[] = [];
  for (let i = 0; i < times.count; i++) {
    if (i % KEYS_AT_ONCE === KEYS_AT_ONCE - 1) yield;
    const t = shortest(times.scalar(i));
    const last = keys.at(-1);
    if (!(t >= 0) || (last !== undefined && t <= last.t)) continue; // not a time, or not after it
    // A cubic spline has the tangent before, the value, and the tangent after.
    keys.push({
      t,
      values: group(isCubic ? i * 3 + 1 : i),
      tangents: isCubic ? { into: group(i * 3), out: group(i * 3 + 2) } : null,
    });
  }
  return keys;
}

/** Weights are single numbers, as many for each time as there are targets; 0 for other channels. */
function weightsOf(
  { path, input, output, interpolation }: ChannelOutline,
  numbers: Numbers,
): number {
  if (path !== "weights") return 0;
  const perKey = interpolation === "CUBICSPLINE" ? 3 : 1;
  const times = numbers.get(input)?.count ?? 0;
  return (numbers.get(output)?.count ?? 0) / Math.max(1, times * perKey);
}

function elementOf(values: NumberList, index: number): readonly number[] {
  return values.element(index).map((value) => Number.isFinite(value) ? shortest(value) : 0);
}

/** The shortest decimal that is the same float of 32 bits; other numbers stay as they are. */
export function shortest(value: number): number {
  if (Math.fround(value) !== value) return value;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short + 0; // + 0: no negative zero
  }
  return Number(value.toPrecision(9)) + 0;
}
