import type { Accessor } from "@gltf-transform/core";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Numbers } from "./numbers.ts";
import type { AnimationOutline, ChannelOutline } from "./outline-types.ts";
import { eulerDegrees } from "./transforms.ts";

/** An animation as an asset, and what of it was lost. */
export interface ImportedClip {
  /** The content of an `*.anim.json`; `null` when nothing is left. */
  readonly content: JsonObject | null;
  /** What was lost, few words each. */
  readonly lost: readonly string[];
}

const FIELDS: Readonly<Record<string, readonly [string, string, string]>> = {
  translation: ["x", "y", "z"],
  rotation: ["rx", "ry", "rz"],
  scale: ["sx", "sy", "sz"],
};

/** The length of a clip that has no duration: one step of the game, in seconds. */
const SHORTEST = 1 / 60;

interface Key {
  readonly t: number;
  readonly values: readonly number[];
}

/**
 * An animation as tracks of single fields with keys where the file has them. Rotations become Euler
 * angles that go on from key to key without jumps. The tangents of cubic splines are lost (their keys
 * stay), and so are the weights of morph targets.
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
    const fields = FIELDS[channel.path];
    const target = channel.node === undefined ? undefined : paths.get(channel.node);
    if (fields === undefined) lost.add(channel.path === "weights" ? "morph weights" : channel.path);
    if (fields === undefined || target === undefined) continue;
    const keys = keysOf(channel, numbers);
    if (keys === null) {
      lost.add("compressed keys");
      continue;
    }
    if (channel.interpolation === "CUBICSPLINE") lost.add("tangents of cubic splines");
    length = Math.max(length, keys.at(-1)?.t ?? 0);
    for (const [axis, field] of fields.entries()) {
      const track = trackOf(keys, axis, channel.interpolation === "STEP");
      if (track.length > 0) tracks.push({ target, field: `Transform.${field}`, keys: track });
    }
  }
  return {
    content: tracks.length === 0 ? null : { schema: 1, length, loop: true, tracks },
    lost: [...lost],
  };
}

/** The keys of one field; one key is enough for what never changes. */
function trackOf(keys: readonly Key[], axis: number, steps: boolean): readonly JsonValue[] {
  const valueOf = (key: Key) => key.values[axis] ?? 0;
  const [first] = keys;
  if (first === undefined) return [];
  const constant = keys.every((key) => valueOf(key) === valueOf(first));
  return (constant ? [first] : keys).map((key) => ({
    t: key.t,
    value: valueOf(key),
    ...(steps && !constant && { ease: "step" }),
  }));
}

/** The keys of a channel in order of time, angles in degrees; `null` when they are compressed. */
function keysOf(channel: ChannelOutline, numbers: Numbers): readonly Key[] | null {
  const times = numbers.get(channel.input);
  const values = numbers.get(channel.output);
  if (times === undefined || values === undefined) return null;
  const keys: Key[] = [];
  let angles: readonly number[] = [0, 0, 0];
  for (let i = 0; i < times.getCount(); i++) {
    const t = short(times.getScalar(i));
    const last = keys.at(-1);
    if (!(t >= 0) || (last !== undefined && t <= last.t)) continue; // not a time, or not after it
    // A cubic spline has the tangent before, the value, and the tangent after.
    const element = elementOf(values, channel.interpolation === "CUBICSPLINE" ? i * 3 + 1 : i);
    if (channel.path !== "rotation") keys.push({ t, values: element.map(short) });
    else {
      angles = nearestAngles(eulerDegrees(element), angles);
      keys.push({ t, values: angles.map(short) });
    }
  }
  return keys;
}

function elementOf(values: Accessor, index: number): readonly number[] {
  return values.getElement(index, []).map((value) => Number.isFinite(value) ? value : 0);
}

/** Of the angles that make the same rotation those nearest to `before`: no turn where there is none. */
export function nearestAngles(
  [x = 0, y = 0, z = 0]: readonly number[],
  before: readonly number[],
): readonly number[] {
  const [same, other] = [[x, y, z], [x + 180, 180 - y, z + 180]].map((angles) => {
    const near = angles.map((angle, axis) => {
      const from = before[axis] ?? 0;
      return angle + 360 * Math.round((from - angle) / 360);
    });
    const way = near.reduce((sum, angle, axis) => sum + Math.abs(angle - (before[axis] ?? 0)), 0);
    return { near, way };
  });
  if (same === undefined || other === undefined) return [x, y, z];
  return other.way < same.way - 1e-9 ? other.near : same.near;
}

/** As many digits as a float of 32 bits has. */
function short(value: number): number {
  return Number(value.toPrecision(7)) + 0;
}
