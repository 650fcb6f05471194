import {
  add,
  type Affine,
  type Mat3,
  rotate,
  rotationOf,
  subtract,
  transpose,
} from "../../game/geometry/mod.ts";
import type { Vec3, Viewport, WorldBounds } from "../../editor/ports/mod.ts";

// The camera of the viewport, which orbits a point. Pure; pixels from the top left.

/** The viewport's view of the scene. */
export interface Orbit {
  /** The centre, in metres. */
  readonly target: Vec3;
  /** Degrees to the left and right. */
  readonly yaw: number;
  /** Degrees below and above the horizon; −90 looks straight down. */
  readonly pitch: number;
  /** Metres from the target. */
  readonly distance: number;
}

/** A half-line from the eye into the scene. */
export interface EyeRay {
  readonly origin: Vec3;
  /** Of length 1. */
  readonly direction: Vec3;
}

/** A point on the screen. */
export interface Pixel {
  readonly x: number;
  readonly y: number;
  /** Metres in front of the eye. */
  readonly depth: number;
}

/** Vertical field of view, in degrees. */
export const FOV = 50;
/** The initial view of a scene. */
export const START: Orbit = { target: [0, 0, 0], yaw: 35, pitch: -28, distance: 24 };
const NEAREST = 0.05;
const FARTHEST = 20_000;
const HALF = Math.tan(FOV * Math.PI / 360);

/** The place of the eye: its rotation looks along −z. */
export function eyeOf({ target, yaw, pitch, distance }: Orbit): Affine {
  const linear = multiplyTurns(yaw, pitch);
  const back = rotate(linear, [0, 0, distance]);
  return { linear, offset: add(target, back) };
}

/** First about the world's y, then about the eye's own x. */
function multiplyTurns(yaw: number, pitch: number): Mat3 {
  const [a, b] = [rotationOf([0, yaw, 0]), rotationOf([pitch, 0, 0])];
  const columns = [0, 1, 2].map((n): Vec3 => {
    const column: Vec3 = [b[n] ?? 0, b[n + 3] ?? 0, b[n + 6] ?? 0];
    return rotate(a, column);
  });
  const [x = [1, 0, 0], y = [0, 1, 0], z = [0, 0, 1]] = columns;
  return [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
}

/** Returns the screen position of a point of the world; `null` if it is behind the camera. */
export function project(orbit: Orbit, { width, height }: Viewport, point: Vec3): Pixel | null {
  const { linear, offset } = eyeOf(orbit);
  const [x, y, z] = rotate(transpose(linear), subtract(point, offset));
  const depth = -z;
  if (depth < NEAREST / 2) return null;
  const pixels = height / (2 * HALF * depth);
  return { x: width / 2 + x * pixels, y: height / 2 - y * pixels, depth };
}

/** Returns the ray through a pixel. */
export function rayAt(orbit: Orbit, { width, height }: Viewport, x: number, y: number): EyeRay {
  const { linear, offset } = eyeOf(orbit);
  const scale = 2 * HALF / height;
  const way = rotate(linear, [(x - width / 2) * scale, (height / 2 - y) * scale, -1]);
  return { origin: offset, direction: unit(way) };
}

/** Metres that one pixel is, so far in front of the eye. */
export function metresPerPixel({ height }: Viewport, depth: number): number {
  return 2 * HALF * depth / height;
}

/** Orbits by a drag of that many pixels. */
export function turned(orbit: Orbit, dx: number, dy: number): Orbit {
  const pitch = Math.max(-90, Math.min(90, orbit.pitch - dy * 0.3));
  return { ...orbit, yaw: (orbit.yaw - dx * 0.3) % 360, pitch };
}

/** Pans: the point below the pointer stays below it. */
export function panned(orbit: Orbit, viewport: Viewport, dx: number, dy: number): Orbit {
  const scale = metresPerPixel(viewport, orbit.distance);
  const way = rotate(eyeOf(orbit).linear, [-dx * scale, dy * scale, 0]);
  return { ...orbit, target: add(orbit.target, way) };
}

/** Nearer for a negative wheel. */
export function dollied(orbit: Orbit, wheel: number): Orbit {
  const distance = orbit.distance * Math.exp(wheel * 0.0015);
  return { ...orbit, distance: Math.max(NEAREST, Math.min(FARTHEST, distance)) };
}

/** Returns the view from the origin of a ray along it. */
export function lookingAlong({ origin, direction }: EyeRay, distance: number): Orbit {
  const [x, y, z] = direction;
  const degrees = 180 / Math.PI;
  return {
    target: add(origin, [x * distance, y * distance, z * distance]),
    yaw: Math.atan2(-x, -z) * degrees,
    pitch: Math.asin(Math.max(-1, Math.min(1, y))) * degrees,
    distance,
  };
}

/** Frames a box. */
export function framed(orbit: Orbit, { min, max }: WorldBounds): Orbit {
  const target: Vec3 = [
    (min[0] + max[0]) / 2,
    (min[1] + max[1]) / 2,
    (min[2] + max[2]) / 2,
  ];
  const radius = Math.hypot(...subtract(max, min)) / 2;
  return { ...orbit, target, distance: Math.max(1, radius / HALF * 1.25) };
}

/** A way of length 1. */
function unit(way: Vec3): Vec3 {
  const length = Math.hypot(...way);
  return length === 0 ? way : [way[0] / length, way[1] / length, way[2] / length];
}
