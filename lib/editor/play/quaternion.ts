import type { Mat3 } from "../math.ts";

/** A rotation as the physics engine has it. */
export interface Quaternion {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
}

/** The quaternion of a rotation matrix, by its largest member, which is never near 0. */
export function quaternionOf([a, b, c, d, e, f, g, h, i]: Mat3): Quaternion {
  const trace = a + e + i;
  if (trace > 0) {
    const s = Math.sqrt(trace + 1) * 2;
    return { w: s / 4, x: (h - f) / s, y: (c - g) / s, z: (d - b) / s };
  }
  if (a > e && a > i) {
    const s = Math.sqrt(1 + a - e - i) * 2;
    return { w: (h - f) / s, x: s / 4, y: (b + d) / s, z: (c + g) / s };
  }
  if (e > i) {
    const s = Math.sqrt(1 + e - a - i) * 2;
    return { w: (c - g) / s, x: (b + d) / s, y: s / 4, z: (f + h) / s };
  }
  const s = Math.sqrt(1 + i - a - e) * 2;
  return { w: (d - b) / s, x: (c + g) / s, y: (f + h) / s, z: s / 4 };
}

/** The rotation matrix of a quaternion of length 1. */
export function matrixOf({ x, y, z, w }: Quaternion): Mat3 {
  return [
    1 - 2 * (y * y + z * z),
    2 * (x * y - w * z),
    2 * (x * z + w * y),
    2 * (x * y + w * z),
    1 - 2 * (x * x + z * z),
    2 * (y * z - w * x),
    2 * (x * z - w * y),
    2 * (y * z + w * x),
    1 - 2 * (x * x + y * y),
  ];
}
