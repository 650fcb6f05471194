import type { Mat3, Quaternion } from "./math.ts";

/** The quaternion of a rotation matrix, by its largest member, which is never near 0. */
export function quaternionOf(m: Mat3): Quaternion {
  const a = m[0], b = m[1], c = m[2], d = m[3], e = m[4], f = m[5], g = m[6], h = m[7], i = m[8];
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
