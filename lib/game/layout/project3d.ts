import {
  type Affine,
  type Mat3,
  multiply,
  place,
  rectAround,
  rotate,
  subtract,
  transpose,
} from "../geometry/math.ts";
import type { Bounds } from "../geometry/bounds.ts";
import type { Rect, TraitFields, Vec3, Viewport } from "../types/mod.ts";
import type { WorldPlace } from "../scene/transforms.ts";
import { numberIn, textIn } from "../traits/value.ts";

/** A camera of the 3D layer, ready to project. */
export interface Projection {
  readonly position: Vec3;
  /** From the world's axes to the camera's: x right, y up, looking along -z. */
  readonly toCamera: Mat3;
  readonly perspective: boolean;
  /** Half the height of the view: at distance 1 (perspective) or anywhere (orthographic). */
  readonly halfHeight: number;
  readonly near: number;
  readonly far: number;
}

/** Returns the projection of a Camera trait; ignores the camera's own scale. */
export function projectionOf(camera: TraitFields, { affine, rotation }: WorldPlace): Projection {
  const perspective = textIn(camera, "projection") !== "orthographic";
  const fov = numberIn(camera, "fov", 60);
  return {
    position: affine.offset,
    toCamera: transpose(rotation),
    perspective,
    halfHeight: perspective ? Math.tan(fov * Math.PI / 360) : numberIn(camera, "size", 10) / 2,
    near: numberIn(camera, "near", 0.1),
    far: numberIn(camera, "far", 1000),
  };
}

/**
 * Returns the screen rectangle around a box. Clips it at the near plane first, because a point
 * behind the camera has no screen position.
 *
 * @returns Viewport pixels, not clipped at the viewport; `null` if the box is entirely nearer than
 * the near plane or farther than the far plane.
 */
export function projectBounds(
  { bounds, affine }: { readonly bounds: Bounds; readonly affine: Affine },
  projection: Projection,
  viewport: Viewport,
): Rect | null {
  const { position, toCamera, near, far } = projection;
  const atCamera: Affine = {
    linear: multiply(toCamera, affine.linear),
    offset: rotate(toCamera, subtract(affine.offset, position)),
  };
  const [nearest, farthest] = depthsOf(bounds, atCamera);
  if (nearest > far) return null;
  if (nearest >= near) return rectInFront(bounds, atCamera, { projection, viewport });
  if (farthest < near) return null;
  const corners = Array.from({ length: 8 }, (_, i) => place(atCamera, cornerOf(bounds, i)));
  const inFront = corners.filter((corner) => -corner[2] >= near);
  const visible = [...inFront, ...cutEdges(corners, near)];
  return rectAround(visible.map((point) => toPixels(point, projection, viewport)));
}

/** The corners of a box are numbered by bits: 1 for the larger x, 2 for y, 4 for z. */
function cornerOf({ min, max }: Bounds, i: number): Vec3 {
  return [i & 1 ? max[0] : min[0], i & 2 ? max[1] : min[1], i & 4 ? max[2] : min[2]];
}

/** Returns the distances of the nearest and the farthest corner in front of the camera. */
function depthsOf({ min, max }: Bounds, { linear, offset }: Affine): readonly [number, number] {
  const [, , , , , , a, b, c] = linear;
  const [ax, bx] = [a * min[0], a * max[0]];
  const [ay, by] = [b * min[1], b * max[1]];
  const [az, bz] = [c * min[2], c * max[2]];
  return [
    -(offset[2] + (Math.max(ax, bx) + Math.max(ay, by) + Math.max(az, bz))),
    -(offset[2] + (Math.min(ax, bx) + Math.min(ay, by) + Math.min(az, bz))),
  ];
}

/**
 * Returns the rectangle around all eight corners. Most boxes are in front of the camera, and there
 * are many, so it allocates nothing except the result.
 */
function rectInFront(
  { min, max }: Bounds,
  { linear: [a, b, c, d, e, f, g, h, i], offset: [ox, oy, oz] }: Affine,
  { projection: { perspective, halfHeight }, viewport: { width, height } }: {
    readonly projection: Projection;
    readonly viewport: Viewport;
  },
): Rect | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let corner = 0; corner < 8; corner++) {
    const x = corner & 1 ? max[0] : min[0];
    const y = corner & 2 ? max[1] : min[1];
    const z = corner & 4 ? max[2] : min[2];
    const depth = -(g * x + h * y + i * z + oz);
    const pixels = height / 2 / (perspective ? depth * halfHeight : halfHeight);
    const across = width / 2 + (a * x + b * y + c * z + ox) * pixels;
    const down = height / 2 - (d * x + e * y + f * z + oy) * pixels;
    left = Math.min(left, across);
    right = Math.max(right, across);
    top = Math.min(top, down);
    bottom = Math.max(bottom, down);
  }
  const isPlace = Number.isFinite(left + right) && Number.isFinite(top + bottom);
  return isPlace ? { x: left + 0, y: top + 0, w: right - left, h: bottom - top } : null;
}

/** Returns the points at which the edges of a box cross the near plane. */
function cutEdges(corners: readonly Vec3[], near: number): Vec3[] {
  const cuts: Vec3[] = [];
  for (const [index, a] of corners.entries()) {
    for (const bit of [1, 2, 4]) {
      const b = index & bit ? undefined : corners[index | bit];
      if (b === undefined || (-a[2] < near) === (-b[2] < near)) continue;
      const t = (-near - a[2]) / (b[2] - a[2]);
      cuts.push([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), -near]);
    }
  }
  return cuts;
}

function toPixels(
  [x, y, z]: Vec3,
  { perspective, halfHeight }: Projection,
  { width, height }: Viewport,
): readonly [number, number] {
  // Half the picture's height is `halfHeight` at this depth; pixels are square.
  const pixelsPerMetre = height / 2 / (perspective ? -z * halfHeight : halfHeight);
  return [width / 2 + x * pixelsPerMetre, height / 2 - y * pixelsPerMetre];
}
