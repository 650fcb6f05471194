import { join } from "./png.ts";

/** A corner of a mesh, in metres. */
export type Point = readonly [number, number, number];

/** Triangles over shared corners. */
export interface Mesh {
  readonly points: readonly Point[];
  /** Three corners each, counter-clockwise from outside. */
  readonly triangles: readonly Point[];
}

/** The box around a mesh, as sidecars carry it. */
export function boundsOf({ points }: Mesh): { min: number[]; max: number[] } {
  const along = (axis: 0 | 1 | 2) => points.map((point) => Math.fround(point[axis]));
  return {
    min: [Math.min(...along(0)), Math.min(...along(1)), Math.min(...along(2))],
    max: [Math.max(...along(0)), Math.max(...along(1)), Math.max(...along(2))],
  };
}

/**
 * A binary glTF 2.0 file with one mesh. Layout: header "glTF", version, length; chunk length, type
 * "JSON", text padded with spaces; chunk length, type "BIN", bytes padded with zeros; all numbers
 * little-endian 32 bits.
 */
export function encodeGlb(name: string, mesh: Mesh, color: readonly number[]): Uint8Array {
  const positions = new Uint8Array(new Float32Array(mesh.points.flat()).buffer);
  const indices = new Uint8Array(new Uint16Array(mesh.triangles.flat()).buffer);
  const binary = pad(join([positions, indices]), 0);
  const { min, max } = boundsOf(mesh);
  const json = {
    asset: { version: "2.0", generator: "make-sample" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ name, mesh: 0 }],
    meshes: [{ name, primitives: [{ attributes: { POSITION: 0 }, indices: 1, material: 0 }] }],
    materials: [{ name, pbrMetallicRoughness: { baseColorFactor: color, metallicFactor: 0 } }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: mesh.points.length, type: "VEC3", min, max },
      { bufferView: 1, componentType: 5123, count: mesh.triangles.length * 3, type: "SCALAR" },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: positions.length, target: 34962 },
      { buffer: 0, byteOffset: positions.length, byteLength: indices.length, target: 34963 },
    ],
    buffers: [{ byteLength: positions.length + indices.length }],
  };
  const text = pad(new TextEncoder().encode(JSON.stringify(json)), 0x20);
  return join([
    u32(0x46546c67, 2, 12 + 8 + text.length + 8 + binary.length),
    u32(text.length, 0x4e4f534a),
    text,
    u32(binary.length, 0x004e4942),
    binary,
  ]);
}

function pad(bytes: Uint8Array, filler: number): Uint8Array {
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4).fill(filler);
  padded.set(bytes);
  return padded;
}

function u32(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (const [index, value] of values.entries()) view.setUint32(index * 4, value, true);
  return new Uint8Array(view.buffer);
}

/** A hull: a deck of five corners, pointed at the bow (-z), above a narrower keel. */
export function hull(length: number, width: number, height: number): Mesh {
  const outline = [[-1, 1], [-1, -0.4], [0, -1], [1, -0.4], [1, 1]] as const;
  const level = (share: number, y: number) =>
    outline.map(([x, z]): Point => [x * width / 2 * share, y, z * length / 2 * share]);
  const points = [...level(1, height), ...level(0.6, 0)];
  const sides = outline.flatMap((_, i): Point[] => {
    const next = (i + 1) % 5;
    return [[i, next, i + 5], [next, next + 5, i + 5]];
  });
  const deck: Point[] = [[0, 1, 2], [0, 2, 3], [0, 3, 4]].map(([a = 0, b = 0, c = 0]) => [a, c, b]);
  const keel: Point[] = [[5, 6, 7], [5, 7, 8], [5, 8, 9]];
  return { points, triangles: [...deck, ...sides, ...keel] };
}

/** Returns a buoy: a six-sided float that ends in a point. */
export function buoy(radius: number, height: number): Mesh {
  const ring = Array.from({ length: 6 }, (_, i): Point => {
    const angle = i * Math.PI / 3;
    return [Math.cos(angle) * radius, height * 0.3, Math.sin(angle) * radius];
  });
  const points: Point[] = [...ring, [0, height, 0], [0, 0, 0]];
  const triangles = ring.flatMap((_, i): Point[] => {
    const next = (i + 1) % 6;
    return [[next, i, 6], [i, next, 7]];
  });
  return { points, triangles };
}
