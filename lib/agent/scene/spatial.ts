import type { Vec3, WorldBounds } from "../../editor/ports/mod.ts";

const AXES = [0, 1, 2] as const;

/** Returns the distance of a point from a box; 0 inside. */
export function distanceToBox(point: Vec3, { min, max }: WorldBounds): number {
  return Math.hypot(
    Math.max(min[0] - point[0], 0, point[0] - max[0]),
    Math.max(min[1] - point[1], 0, point[1] - max[1]),
    Math.max(min[2] - point[2], 0, point[2] - max[2]),
  );
}

/** Returns whether two boxes have a point in common. */
export function meetsBox(a: WorldBounds, b: WorldBounds): boolean {
  return AXES.every((axis) => a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis]);
}

/** A half line. */
export interface HalfLine {
  readonly origin: Vec3;
  /** Any length except 0. */
  readonly direction: Vec3;
}

/**
 * Returns the distance along a ray at which it enters a box, in world units; 0 from inside, `null`
 * for a miss.
 */
export function rayToBox(
  { origin, direction }: HalfLine,
  { min, max }: WorldBounds,
): number | null {
  let [enter, leave] = [0, Infinity];
  for (const axis of AXES) {
    const step = direction[axis];
    const [low, high] = [min[axis] - origin[axis], max[axis] - origin[axis]];
    if (step === 0) {
      if (low > 0 || high < 0) return null;
      continue;
    }
    enter = Math.max(enter, Math.min(low / step, high / step));
    leave = Math.min(leave, Math.max(low / step, high / step));
  }
  return enter <= leave ? enter * Math.hypot(...direction) : null;
}
