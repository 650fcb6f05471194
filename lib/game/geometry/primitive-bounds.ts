import { type Bounds, placedBounds } from "./bounds.ts";
import { own } from "../../core/json.ts";
import type { Affine } from "./math.ts";

/** Bounds of the primitives (`Renderable3D.mesh`), in metres. */
export const PRIMITIVE_BOUNDS: Readonly<Record<string, Bounds>> = {
  box: { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] },
  sphere: { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] },
  plane: { min: [-0.5, 0, -0.5], max: [0.5, 0, 0.5] },
  quad: { min: [-0.5, -0.5, 0], max: [0.5, 0.5, 0] },
  cylinder: { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] },
  cone: { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] },
  capsule: { min: [-0.5, -1, -0.5], max: [0.5, 1, 0.5] },
};

/**
 * Returns how far a primitive extends from its centre in a direction (its support function), in
 * metres.
 */
type Reach = (x: number, y: number, z: number) => number;

const RADIUS = 0.5;

/** The round primitives; for all others, the corners of the box give the extent. */
const ROUND: Readonly<Record<string, Reach>> = {
  sphere: (x, y, z) => RADIUS * Math.hypot(x, y, z),
  cylinder: (x, y, z) => Math.abs(y) / 2 + RADIUS * Math.hypot(x, z),
  // The tip is up.
  cone: (x, y, z) => Math.max(y / 2, RADIUS * Math.hypot(x, z) - y / 2),
  capsule: (x, y, z) => Math.abs(y) / 2 + RADIUS * Math.hypot(x, y, z),
};

/** Returns the box around a transformed primitive; `undefined` for another mesh. */
export function primitiveBounds(mesh: string, affine: Affine): Bounds | undefined {
  const bounds = own(PRIMITIVE_BOUNDS, mesh);
  const reach = own(ROUND, mesh);
  if (bounds === undefined || reach === undefined) {
    return bounds === undefined ? undefined : placedBounds(bounds, affine);
  }
  const { linear: [a, b, c, d, e, f, g, h, i], offset: [x, y, z] } = affine;
  return {
    min: [x - reach(-a, -b, -c), y - reach(-d, -e, -f), z - reach(-g, -h, -i)],
    max: [x + reach(a, b, c), y + reach(d, e, f), z + reach(g, h, i)],
  };
}
