import { add, type Mat3, rotate, subtract, transpose } from "../game/geometry/mod.ts";
import type { Projection } from "../game/layout/mod.ts";
import type { Vec3, Viewport } from "../game/types/mod.ts";

/** A camera that is not part of the scene. */
export type ViewCamera =
  & {
    /** Metres. */
    readonly position: Vec3;
    /** Point in the middle of the picture. */
    readonly target: Vec3;
    /** The up direction of the picture; y when absent. */
    readonly up?: Vec3;
    /** Metres; 0.05 when absent. */
    readonly near?: number;
    /** Metres; 20,000 when absent. */
    readonly far?: number;
  }
  & (
    /** Degrees from the lower edge of the picture to the upper one. */
    | { readonly fov: number }
    /** Metres from the lower edge to the upper one, however far away. */
    | { readonly orthographic: number }
  );

/** A point on the screen. */
export interface ScreenPoint {
  /** Pixels from the left edge. */
  readonly x: number;
  /** Pixels from the top. */
  readonly y: number;
  /** Metres before the eye. */
  readonly depth: number;
}

/** A half-line into the scene. */
export interface Ray {
  readonly origin: Vec3;
  /** Of length 1. */
  readonly direction: Vec3;
}

/** Returns the projection of such a camera. */
export function projectionFrom(camera: ViewCamera): Projection {
  const { position, target, up = [0, 1, 0], near = 0.05, far = 20_000 } = camera;
  const back = unit(subtract(position, target)) ?? [0, 0, 1];
  // For a view straight up or down, the far side of the world is up.
  const right = unit(cross(up, back)) ?? unit(cross([0, 0, -back[1] || 1], back)) ?? [1, 0, 0];
  const above = cross(back, right);
  const perspective = "fov" in camera;
  return {
    position,
    toCamera: [...right, ...above, ...back],
    perspective,
    halfHeight: perspective ? Math.tan(camera.fov * Math.PI / 360) : camera.orthographic / 2,
    near,
    far,
  };
}

/**
 * Returns the screen position of a point of the world; `null` if it is not in front of the camera.
 */
export function projectPoint(
  { position, toCamera, perspective, halfHeight }: Projection,
  { width, height }: Viewport,
  point: Vec3,
): ScreenPoint | null {
  const [x, y, z] = rotate(toCamera, subtract(point, position));
  const depth = -z;
  if (perspective && depth <= 0) return null;
  const pixels = height / 2 / (perspective ? depth * halfHeight : halfHeight);
  return { x: width / 2 + x * pixels, y: height / 2 - y * pixels, depth };
}

/** Returns the ray through a point of a screen. */
export function rayThrough(
  { position, toCamera, perspective, halfHeight }: Projection,
  { width, height }: Viewport,
  { x, y }: { readonly x: number; readonly y: number },
): Ray {
  const scale = 2 * halfHeight / height;
  const [across, over] = [(x - width / 2) * scale, (height / 2 - y) * scale];
  const toWorld: Mat3 = transpose(toCamera);
  if (perspective) {
    const direction = unit(rotate(toWorld, [across, over, -1])) ?? [0, 0, -1];
    return { origin: position, direction };
  }
  const origin = add(position, rotate(toWorld, [across, over, 0]));
  return { origin, direction: rotate(toWorld, [0, 0, -1]) };
}

function cross([a, b, c]: Vec3, [d, e, f]: Vec3): Vec3 {
  return [b * f - c * e, c * d - a * f, a * e - b * d];
}

/** Returns a vector scaled to length 1; `null` for the zero vector. */
function unit([x, y, z]: Vec3): Vec3 | null {
  const length = Math.sqrt(x * x + y * y + z * z);
  return length < 1e-9 ? null : [x / length, y / length, z / length];
}
