import {
  eulerOf,
  IDENTITY,
  type Mat3,
  matrixOf as rotationMatrix,
  scaleColumns,
} from "../../game/geometry/mod.ts";
import type { TraitFields, Vec3 } from "../ports/mod.ts";
import type { NodeOutline } from "./outline-types.ts";

/** Position, rotation (a quaternion) and scale. */
export interface Placement {
  readonly translation: Vec3;
  readonly rotation: readonly number[];
  readonly scale: Vec3;
}

/** Returns a node's local transform; decomposes a matrix. */
export function placementOf(node: NodeOutline): Placement {
  if (node.matrix !== undefined) return decompose(node.matrix);
  return {
    translation: vec3(node.translation, 0),
    rotation: node.rotation ?? [0, 0, 0, 1],
    scale: vec3(node.scale, 1),
  };
}

/** The Transform of a placement, without the fields that are at their defaults. */
export function transformFields({ translation, rotation, scale }: Placement): TraitFields {
  const fields: Record<string, number> = {};
  const [rx, ry, rz] = eulerDegrees(rotation);
  const [x, y, z] = translation;
  const [sx, sy, sz] = scale;
  for (const [name, value] of Object.entries({ x, y, z, rx, ry, rz })) {
    if (value !== 0) fields[name] = value;
  }
  for (const [name, value] of Object.entries({ sx, sy, sz })) {
    if (value !== 1) fields[name] = value;
  }
  return fields;
}

/** The Euler angles of a quaternion, in degrees, applied X then Y then Z. */
function eulerDegrees(quaternion: readonly number[]): Vec3 {
  return eulerOf(rotationToMatrix(quaternion));
}

/** Returns the rotation of a quaternion of any length; a zero quaternion is the identity. */
export function rotationToMatrix(quaternion: readonly number[]): Mat3 {
  const [a = 0, b = 0, c = 0, d = 1] = quaternion;
  const length = Math.sqrt(a * a + b * b + c * c + d * d); // not hypot, which engines round their own way
  return length === 0
    ? IDENTITY
    : rotationMatrix({ x: a / length, y: b / length, z: c / length, w: d / length });
}

/**
 * Takes a matrix (column by column) apart. A mirrored one gets a negative scale along x. Shear, which
 * glTF forbids here, is lost.
 */
function decompose(matrix: readonly number[]): Placement {
  const at = (index: number) => matrix[index] ?? 0;
  // Row by row.
  const linear: Mat3 = [
    at(0),
    at(4),
    at(8),
    at(1),
    at(5),
    at(9),
    at(2),
    at(6),
    at(10),
  ];
  const lengths: Vec3 = [
    Math.hypot(at(0), at(1), at(2)),
    Math.hypot(at(4), at(5), at(6)),
    Math.hypot(at(8), at(9), at(10)),
  ];
  const scale: Vec3 = determinant(linear) < 0 ? [-lengths[0], lengths[1], lengths[2]] : lengths;
  const inverse: Vec3 = [reciprocal(scale[0]), reciprocal(scale[1]), reciprocal(scale[2])];
  return {
    translation: [at(12), at(13), at(14)],
    // The rotation of a matrix with a zero scale cannot be recovered.
    rotation: lengths.includes(0) ? [0, 0, 0, 1] : quaternionOf(scaleColumns(linear, inverse)),
    scale,
  };
}

function reciprocal(value: number): number {
  return value === 0 ? 0 : 1 / value;
}

function determinant([a, b, c, d, e, f, g, h, i]: Mat3): number {
  return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
}

/** Returns the quaternion of a rotation; divides by its largest component, never by a small one. */
function quaternionOf([m11, m12, m13, m21, m22, m23, m31, m32, m33]: Mat3): readonly number[] {
  const trace = m11 + m22 + m33;
  if (trace > 0) {
    const s = 2 * Math.sqrt(trace + 1);
    return [(m32 - m23) / s, (m13 - m31) / s, (m21 - m12) / s, s / 4];
  }
  if (m11 > m22 && m11 > m33) {
    const s = 2 * Math.sqrt(1 + m11 - m22 - m33);
    return [s / 4, (m12 + m21) / s, (m13 + m31) / s, (m32 - m23) / s];
  }
  if (m22 > m33) {
    const s = 2 * Math.sqrt(1 + m22 - m11 - m33);
    return [(m12 + m21) / s, s / 4, (m23 + m32) / s, (m13 - m31) / s];
  }
  const s = 2 * Math.sqrt(1 + m33 - m11 - m22);
  return [(m13 + m31) / s, (m23 + m32) / s, s / 4, (m21 - m12) / s];
}

function vec3(numbers: readonly number[] | undefined, otherwise: number): Vec3 {
  const [x = otherwise, y = otherwise, z = otherwise] = numbers ?? [];
  return [x, y, z];
}
