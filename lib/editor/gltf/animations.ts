import type { Accessor } from "@gltf-transform/core";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { ROTATION_FIELD } from "../play/clips.ts";
import { MAX_MORPHS } from "../traits/rendering.ts";
import type { Numbers } from "./numbers.ts";
import type { AnimationOutline, ChannelOutline } from "./outline-types.ts";

/** An animation as an asset, and what of it was lost. */
export interface ImportedClip {
  /** The content of an `*.anim.json`; `null` when nothing is left. */
  readonly content: JsonObject | null;
  /** What was lost, few words each. */
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
 * An animation as tracks with keys where the file has them, and with the tangents of cubic splines.
 * Positions, scales and weights become tracks of single numbers; rotations stay quaternions, because
 * only those go on from key to key as the file means it (glTF 2.0, appendix C).
 *
 * @param paths Names from the top to each node.
 */
export function clipContent(
  animation: AnimationOutline,
  paths: ReadonlyMap<number, string>,
  numbers: Numbers,
): ImportedClip {
  const lost = new Set<string>();
  const tracks: JsonObject[] = [];
  let length = SHORTEST;
  for (const channel of animation.channels) {
    const target = channel.node === undefined ? undefined : paths.get(channel.node);
    const isKnown = ["translation", "rotation", "scale", "weights"].includes(channel.path);
    if (!isKnown) lost.add(channel.path);
    if (!isKnown || target === undefined) continue;
    const keys = keysOf(channel, numbers);
    if (keys === null) {
      lost.add("compressed keys");
      continue;
    }
    length = Math.max(length, keys.at(-1)?.t ?? 0);
    const steps = channel.interpolation === "STEP";
    if (channel.path === "rotation") {
      if (keys.length > 0) tracks.push({ target, field: ROTATION_FIELD, keys: turns(keys, steps) });
      continue;
    }
    const fields = fieldsOf(channel.path, keys[0]?.values.length ?? 0);
    if (fields.length > MAX_MORPHS) lost.add(`weights of morph targets beyond ${MAX_MORPHS}`);
    for (const [place, field] of fields.slice(0, MAX_MORPHS).entries()) {
      if (keys.length > 0) tracks.push({ target, field, keys: numbersOf(keys, place, steps) });
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

/** The keys of one number; one key is enough for what never changes. */
function numbersOf(keys: readonly Key[], place: number, steps: boolean): readonly JsonValue[] {
  const at = (values: readonly number[] | undefined) => values?.[place] ?? 0;
  const first = at(keys[0]?.values);
  const isConstant = keys.every(({ values, tangents }) =>
    at(values) === first && at(tangents?.into) === 0 && at(tangents?.out) === 0
  );
  if (isConstant) return [{ t: keys[0]?.t ?? 0, value: first }];
  return keys.map(({ t, values, tangents }) => ({
    t,
    value: at(values),
    ...(steps && { ease: "step" }),
    ...(tangents !== null &&
      { ease: "cubic", inTangent: at(tangents.into), outTangent: at(tangents.out) }),
  }));
}

/** The keys of a rotation, as quaternions x, y, z, w. */
function turns(keys: readonly Key[], steps: boolean): readonly JsonValue[] {
  const [first] = keys;
  const isConstant = keys.every(({ values, tangents }) =>
    tangents === null && values.every((value, place) => value === first?.values[place])
  );
  return (isConstant ? keys.slice(0, 1) : keys).map(({ t, values, tangents }) => ({
    t,
    value: values,
    ...(steps && !isConstant && { ease: "step" }),
    ...(tangents !== null &&
      { ease: "cubic", inTangent: tangents.into, outTangent: tangents.out }),
  }));
}

/** The keys of a channel in order of time; `null` when they are compressed. */
function keysOf(channel: ChannelOutline, numbers: Numbers): readonly Key[] | null {
  const times = numbers.get(channel.input);
  const output = numbers.get(channel.output);
  if (times === undefined || output === undefined) return null;
  const isCubic = channel.interpolation === "CUBICSPLINE";
  const perKey = isCubic ? 3 : 1;
  // Weights are single numbers, as many for each time as there are targets.
  const size = channel.path === "weights"
    ? output.getCount() / Math.max(1, times.getCount() * perKey)
    : 1;
  const group = (index: number): readonly number[] =>
    Array.from({ length: size }, (_none, at) => elementOf(output, index * size + at)).flat();
  const keys: Key[] = [];
  for (let i = 0; i < times.getCount(); i++) {
    const t = shortest(times.getScalar(i));
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

function elementOf(values: Accessor, index: number): readonly number[] {
  return values.getElement(index, []).map((value) => Number.isFinite(value) ? shortest(value) : 0);
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
