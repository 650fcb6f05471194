import { exactAtan2, sinCosOfDegrees } from "./exact-trig.ts";
import type { Rect, Vec3 } from "../types/mod.ts";

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

/** A place in space: a point p goes to `linear`·p + `offset`. */
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
  /** The cosine of half the angle; 1 turns nothing. */
  readonly w: number;
}

/** The matrix that changes nothing. */
export const IDENTITY: Mat3 = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/** The place that changes nothing. */
export const ORIGIN: Affine = { linear: IDENTITY, offset: [0, 0, 0] };

/**
 * The rotation by Euler angles in degrees, applied X then Y then Z about the body's own axes:
 * Rx·Ry·Rz, the order "XYZ" of three.js.
 */
export function rotationOf([x, y, z]: Vec3): Mat3 {
  const [a, b] = sinCosOfDegrees(x);
  const [c, d] = sinCosOfDegrees(y);
  const [e, f] = sinCosOfDegrees(z);
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

/** How near a rotation about y must be to a right angle for x and z to turn about one axis. */
const GIMBAL = 1e-8;

/** The Euler angles of a rotation, in degrees; where many answers fit, the one with z = 0. */
export function eulerOf(rotation: Mat3): Vec3 {
  const [m11, m12, m13, , m22, m23, , m32, m33] = rotation;
  const cosine = Math.sqrt(m11 * m11 + m12 * m12);
  // Not asin(m13): near a right angle it tells no two angles apart that differ by less than 1e-8.
  const y = exactAtan2(m13, cosine);
  const [x, z] = cosine > GIMBAL
    ? [exactAtan2(-m23, m33), exactAtan2(-m12, m11)]
    : [exactAtan2(m32, m22), 0];
  return [degrees(x), degrees(y), degrees(z)];
}

function degrees(radians: number): number {
  return radians * 180 / Math.PI + 0; // + 0: no negative zero
}

/** a·b. */
export function multiply(a: Mat3, b: Mat3): Mat3 {
  const [a1, a2, a3, a4, a5, a6, a7, a8, a9] = a;
  const [b1, b2, b3, b4, b5, b6, b7, b8, b9] = b;
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
export function transpose([a, b, c, d, e, f, g, h, i]: Mat3): Mat3 {
  return [a, d, g, b, e, h, c, f, i];
}

/** The matrix with its columns multiplied: scale first, then the matrix. */
export function scaleColumns([a, b, c, d, e, f, g, h, i]: Mat3, [x, y, z]: Vec3): Mat3 {
  return [a * x, b * y, c * z, d * x, e * y, f * z, g * x, h * y, i * z];
}

/** matrix·vector. */
export function rotate([a, b, c, d, e, f, g, h, i]: Mat3, [x, y, z]: Vec3): Vec3 {
  return [a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z];
}

/** a + b. */
export function add(a: Vec3, b: Vec3): Vec3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

/** a − b. */
export function subtract(a: Vec3, b: Vec3): Vec3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

/** Where a place takes a point. */
export function place(affine: Affine, point: Vec3): Vec3 {
  return add(rotate(affine.linear, point), affine.offset);
}

/** The smallest rectangle around points of the screen, or `null` around none. */
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

/** The inverse of a matrix, or `null` where it flattens space and has none. */
export function invert(matrix: Mat3): Mat3 | null {
  const [a, b, c, d, e, f, g, h, i] = matrix;
  const [first, second, third] = [e * i - f * h, f * g - d * i, d * h - e * g];
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
