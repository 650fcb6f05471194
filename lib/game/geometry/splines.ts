import { exactAtan2, sinCosOfDegrees } from "./exact-trig.ts";

// Interpolation between keys (glTF 2.0, appendix C) with operations that every engine rounds alike.

/** Below this angle, in radians, the way along the sphere and the straight one are the same. */
const STRAIGHT = 1e-6;

/** Two keys of a cubic spline. */
export interface SplineKeys {
  readonly start: readonly number[];
  /** Outgoing change per second of the first key; 0 if absent. */
  readonly out: readonly number[];
  readonly end: readonly number[];
  /** Change per second when it arrives at the second. */
  readonly into: readonly number[];
}

/**
 * A cubic Hermite spline, number by number.
 *
 * @param x From 0 at the first key to 1 at the second.
 * @param seconds Between the keys.
 */
export function hermite(
  { start, out, end, into }: SplineKeys,
  x: number,
  seconds: number,
): readonly number[] {
  const [square, cube] = [x * x, x * x * x];
  const fromStart = 2 * cube - 3 * square + 1;
  const fromOut = seconds * (cube - 2 * square + x);
  const fromEnd = 3 * square - 2 * cube;
  const fromInto = seconds * (cube - square);
  return start.map((value, place) =>
    fromStart * value + fromOut * (out[place] ?? 0) + fromEnd * (end[place] ?? 0) +
    fromInto * (into[place] ?? 0)
  );
}

/**
 * The rotation between two, at equal speed along the shorter way. Quaternions x, y, z, w of length 1;
 * the result is as long up to rounding.
 */
export function slerp(
  from: readonly number[],
  to: readonly number[],
  x: number,
): readonly number[] {
  const dot = from.reduce((sum, value, place) => sum + value * (to[place] ?? 0), 0);
  const side = dot < 0 ? -1 : 1; // both signs are one rotation; the nearer is the shorter way
  const near = to.map((value) => value * side);
  // From the sum and the difference, because arccos cannot distinguish small angles.
  const apart = lengthOf(from.map((value, place) => value - (near[place] ?? 0)));
  const together = lengthOf(from.map((value, place) => value + (near[place] ?? 0)));
  const angle = 2 * exactAtan2(apart, together);
  const mix = (first: number, second: number) =>
    from.map((value, place) => first * value + second * (near[place] ?? 0));
  if (angle < STRAIGHT) return mix(1 - x, x);
  const sine = sineOf(angle);
  return mix(sineOf(angle * (1 - x)) / sine, sineOf(angle * x) / sine);
}

function sineOf(radians: number): number {
  return sinCosOfDegrees(radians * 180 / Math.PI)[0];
}

function lengthOf(numbers: readonly number[]): number {
  return Math.sqrt(numbers.reduce((sum, value) => sum + value * value, 0));
}
