import type { Affine } from "./math.ts";
import type { Vec3 } from "../types/mod.ts";

/** A box along the axes, in an entity's own space. */
export interface Bounds {
  readonly min: Vec3;
  readonly max: Vec3;
}

/** The box around a box that has been taken somewhere. */
export function placedBounds({ min, max }: Bounds, { linear: m, offset }: Affine): Bounds {
  let x0 = Infinity, y0 = Infinity, z0 = Infinity;
  let x1 = -Infinity, y1 = -Infinity, z1 = -Infinity;
  for (let corner = 0; corner < 8; corner++) {
    const px = corner & 1 ? max[0] : min[0];
    const py = corner & 2 ? max[1] : min[1];
    const pz = corner & 4 ? max[2] : min[2];
    const x = m[0] * px + m[1] * py + m[2] * pz + offset[0];
    const y = m[3] * px + m[4] * py + m[5] * pz + offset[1];
    const z = m[6] * px + m[7] * py + m[8] * pz + offset[2];
    x0 = Math.min(x0, x);
    y0 = Math.min(y0, y);
    z0 = Math.min(z0, z);
    x1 = Math.max(x1, x);
    y1 = Math.max(y1, y);
    z1 = Math.max(z1, z);
  }
  return { min: [x0, y0, z0], max: [x1, y1, z1] };
}

/** Returns the box around boxes; `null` if there are none. */
export function unitedBounds(boxes: readonly Bounds[]): Bounds | null {
  return boundsAround(boxes.flatMap(({ min, max }) => [min, max]));
}

function boundsAround(points: readonly Bounds["min"][]): Bounds | null {
  if (points.length === 0) return null;
  let [x0, y0, z0] = [Infinity, Infinity, Infinity];
  let [x1, y1, z1] = [-Infinity, -Infinity, -Infinity];
  for (const [x, y, z] of points) {
    x0 = Math.min(x0, x);
    y0 = Math.min(y0, y);
    z0 = Math.min(z0, z);
    x1 = Math.max(x1, x);
    y1 = Math.max(y1, y);
    z1 = Math.max(z1, z);
  }
  return { min: [x0, y0, z0], max: [x1, y1, z1] };
}
