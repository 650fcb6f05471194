import { type EntityDocument, type WorldPlace, worldPlaces } from "../../game/scene/mod.ts";
import {
  eulerOf,
  invert,
  multiply,
  ORIGIN,
  rotate,
  subtract,
  transpose,
} from "../../game/geometry/mod.ts";
import type { TraitFields } from "../ports/mod.ts";

/** A Transform that keeps an entity's world transform. */
export interface KeptTransform {
  /** All fields of `Transform`. */
  readonly fields: TraitFields;
  /** Whether it is only nearly the same: an uneven scale below a turned parent leaves shear. */
  readonly sheared: boolean;
}

const SHEAR_TOLERANCE = 1e-6;

/**
 * Returns the Transform with which an entity keeps its world transform under another parent.
 *
 * @param id An entity with a Transform.
 * @returns `null` under a parent with a zero scale, which no Transform can undo.
 */
export function transformBelow(
  document: EntityDocument,
  id: number,
  parentId: number | null,
): KeptTransform | null {
  const world = placeOf(document, id);
  const layer = document.get(id)?.layer;
  const parent = parentId === null || document.get(parentId)?.layer !== layer
    ? undefined
    : placeOf(document, parentId);
  const inverse = invert((parent?.affine ?? ORIGIN).linear);
  if (world === undefined || inverse === null) return null;
  const offset = subtract(world.affine.offset, (parent?.affine ?? ORIGIN).offset);
  const [x, y, z] = rotate(inverse, offset);
  const rotation = parent === undefined
    ? world.rotation
    : multiply(transpose(parent.rotation), world.rotation);
  const [rx, ry, rz] = eulerOf(rotation);
  const scaled = multiply(transpose(rotation), multiply(inverse, world.affine.linear));
  const [sx, xy, xz, yx, sy, yz, zx, zy, sz] = scaled;
  const largest = Math.max(Math.abs(sx), Math.abs(sy), Math.abs(sz));
  return {
    fields: { x, y, z, rx, ry, rz, sx, sy, sz },
    sheared: [xy, xz, yx, yz, zx, zy].some((one) => Math.abs(one) > SHEAR_TOLERANCE * largest),
  };
}

/** The place of one entity, from the line of its ancestors alone. */
function placeOf(document: EntityDocument, id: number): WorldPlace | undefined {
  return worldPlaces(document.lineOf(id)).get(id);
}
