import { exactAtan2, sinCosOfDegrees } from "./exact-trig.ts";
import type { Rect, Vec3 } from "../types/mod.ts";

// A game calls these hundreds of times in every step. They read tuples by index, because
// destructuring uses an iterator and takes three times as long.

/** A 3×3 matrix, row by row. */
export type Mat3 = readonly [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];

/** An affine transform: a point p maps to `linear`·p + `offset`. */
export interface Affine {
  readonly linear: Mat3;
  readonly offset: Vec3;
}

/** A rotation as engines and files have it. */
export interface Quaternion {
  /** The axis' share along x. */
  readonly x: number;
  /** The axis' share along y. */
  readonly y: number;
  /** The axis' share along z. */
  readonly z: number;
  /** Cosine of half the angle; 1 for no rotation. */
  readonly w: number;
}

/** The identity matrix. */
export const IDENTITY: Mat3 = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/** The identity transform. */
export const ORIGIN: Affine = { linear: IDENTITY, offset: [0, 0, 0] };

/**
 * The rotation by Euler angles in degrees, applied X then Y then Z about the body's own axes:
 * Rx·Ry·Rz, the order "XYZ" of three.js.
 */
export function rotationOf(euler: Vec3): Mat3 {
  const aboutY = sinCosOfDegrees(euler[1]);
  if (euler[0] === 0 && euler[2] === 0) return aboutUpright(aboutY[0], aboutY[1]);
  const aboutX = sinCosOfDegrees(euler[0]);
  const aboutZ = sinCosOfDegrees(euler[2]);
  const a = aboutX[0], b = aboutX[1];
  const c = aboutY[0], d = aboutY[1];
  const e = aboutZ[0], f = aboutZ[1];
  return [
    d * f,
    -d * e,
    c,
    b * e + a * c * f,
    b * f - a * c * e,
    -a * d,
    a * e - b * c * f,
    a * f + b * c * e,
    b * d,
  ];
}

/** Returns {@linkcode rotationOf} for a rotation about y alone, equal to the sign of every zero. */
function aboutUpright(sine: number, cosine: number): Mat3 {
  return [cosine, -cosine * 0, sine, 0, 1, -0 * cosine, 0 - sine, 0, cosine];
}

/** Distance of a y rotation from a right angle below which x and z rotate about the same axis. */
const GIMBAL = 1e-8;

/** Returns the Euler angles of a rotation, in degrees; if several exist, those with z = 0. */
export function eulerOf(rotation: Mat3): Vec3 {
  const m11 = rotation[0], m12 = rotation[1], m13 = rotation[2];
  const cosine = Math.sqrt(m11 * m11 + m12 * m12);
  // Not asin(m13): near a right angle it cannot distinguish angles that differ by less than 1e-8.
  const y = exactAtan2(m13, cosine);
  if (cosine > GIMBAL) {
    const x = exactAtan2(-rotation[5], rotation[8]);
    const z = exactAtan2(-m12, m11);
    return [degrees(x), degrees(y), degrees(z)];
  }
  return [degrees(exactAtan2(rotation[7], rotation[4])), degrees(y), 0];
}

function degrees(radians: number): number {
  return radians * 180 / Math.PI + 0; // + 0: no negative zero
}

/** a·b. */
export function multiply(a: Mat3, b: Mat3): Mat3 {
  const a1 = a[0], a2 = a[1], a3 = a[2], a4 = a[3], a5 = a[4], a6 = a[5];
  const a7 = a[6], a8 = a[7], a9 = a[8];
  const b1 = b[0], b2 = b[1], b3 = b[2], b4 = b[3], b5 = b[4], b6 = b[5];
  const b7 = b[6], b8 = b[7], b9 = b[8];
  return [
    a1 * b1 + a2 * b4 + a3 * b7,
    a1 * b2 + a2 * b5 + a3 * b8,
    a1 * b3 + a2 * b6 + a3 * b9,
    a4 * b1 + a5 * b4 + a6 * b7,
    a4 * b2 + a5 * b5 + a6 * b8,
    a4 * b3 + a5 * b6 + a6 * b9,
    a7 * b1 + a8 * b4 + a9 * b7,
    a7 * b2 + a8 * b5 + a9 * b8,
    a7 * b3 + a8 * b6 + a9 * b9,
  ];
}

/** The mirrored matrix, which of a rotation is its inverse. */
export function transpose(m: Mat3): Mat3 {
  return [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]];
}

/** The matrix with its columns multiplied: scale first, then the matrix. */
export function scaleColumns(m: Mat3, by: Vec3): Mat3 {
  const x = by[0], y = by[1], z = by[2];
  return [
    m[0] * x,
    m[1] * y,
    m[2] * z,
    m[3] * x,
    m[4] * y,
    m[5] * z,
    m[6] * x,
    m[7] * y,
    m[8] * z,
  ];
}

/** matrix·vector. */
export function rotate(m: Mat3, vector: Vec3): Vec3 {
  const x = vector[0], y = vector[1], z = vector[2];
  return [
    m[0] * x + m[1] * y + m[2] * z,
    m[3] * x + m[4] * y + m[5] * z,
    m[6] * x + m[7] * y + m[8] * z,
  ];
}

/** a + b. */
export function add(a: Vec3, b: Vec3): Vec3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

/** a − b. */
export function subtract(a: Vec3, b: Vec3): Vec3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

/** Transforms a point. */
export function place(affine: Affine, point: Vec3): Vec3 {
  const m = affine.linear, to = affine.offset;
  const x = point[0], y = point[1], z = point[2];
  return [
    m[0] * x + m[1] * y + m[2] * z + to[0],
    m[3] * x + m[4] * y + m[5] * z + to[1],
    m[6] * x + m[7] * y + m[8] * z + to[2],
  ];
}

/** Returns the smallest rectangle around points of the screen, or `null` if there are none. */
export function rectAround(points: readonly (readonly [number, number])[]): Rect | null {
  if (points.length === 0) return null;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) return null;
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return { x: left + 0, y: top + 0, w: right - left, h: bottom - top };
}

/** Returns the inverse of a matrix, or `null` if it is singular. */
export function invert(matrix: Mat3): Mat3 | null {
  const a = matrix[0], b = matrix[1], c = matrix[2], d = matrix[3], e = matrix[4], f = matrix[5];
  const g = matrix[6], h = matrix[7], i = matrix[8];
  const first = e * i - f * h, second = f * g - d * i, third = d * h - e * g;
  const determinant = a * first + b * second + c * third;
  if (!Number.isFinite(1 / determinant)) return null;
  const cofactors: Mat3 = [
    first,
    c * h - b * i,
    b * f - c * e,
    second,
    a * i - c * g,
    c * d - a * f,
    third,
    b * g - a * h,
    a * e - b * d,
  ];
  const factor = 1 / determinant;
  return scaleColumns(cofactors, [factor, factor, factor]);
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
