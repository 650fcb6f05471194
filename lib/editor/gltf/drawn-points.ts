import { eventLoopTurn, type Work } from "../../core/cooperative.ts";
import { ok, type Result } from "../../core/result.ts";
import {
  add,
  type Affine,
  MAX_CLOUD_POINTS,
  multiply,
  ORIGIN,
  place,
  scaleColumns,
} from "../../game/geometry/mod.ts";
import type { GltfFailure } from "./container.ts";
import { type Numbers, readNumbers } from "./numbers.ts";
import { openModel } from "./open-model.ts";
import { drawingKey, type GltfOutline, type MeshOutline } from "./outline-types.ts";
import { loadBuffers, type ReadBeside, type Share } from "./resources.ts";
import { placementOf, rotationToMatrix } from "./transforms.ts";

/** Vertices between two turns of others. */
const PIECE = 8_192;

/** A mesh at a place in a model's scene. */
export interface PlacedMesh {
  /** Its place in the file. */
  readonly mesh: number;
  /** From the mesh to the model. */
  readonly affine: Affine;
}

/** The meshes that the scene of a model shows, each as often as it does. */
export function* placedMeshes({ roots, nodes }: GltfOutline): Work<readonly PlacedMesh[]> {
  const placed: PlacedMesh[] = [];
  const open: (readonly [number, Affine])[] = roots.map((root) => [root, ORIGIN]);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [index, parent] = next;
    if (index % 256 === 255) yield;
    const node = nodes[index];
    if (node === undefined) continue;
    const { translation, rotation, scale } = placementOf(node);
    const affine: Affine = {
      linear: multiply(parent.linear, scaleColumns(rotationToMatrix(rotation), scale)),
      offset: add(place({ linear: parent.linear, offset: [0, 0, 0] }, translation), parent.offset),
    };
    if (node.mesh !== undefined) placed.push({ mesh: node.mesh, affine });
    for (const child of node.children) open.push([child, affine]);
  }
  return placed;
}

/**
 * Returns the vertices that a mesh draws, as x, y, z each, before skinning and morphing.
 *
 * @returns `null` if they are compressed, absent, or more than a point cloud may have.
 */
export function* drawnPoints(
  { primitives }: MeshOutline,
  numbers: Numbers,
): Work<Float64Array | null> {
  const found: number[] = [];
  const point: number[] = [0, 0, 0];
  for (const { position, indices } of primitives) {
    if (position === undefined) continue;
    const points = numbers.get(position);
    if (points === undefined) return null;
    const order = indices === undefined ? undefined : numbers.get(indices);
    const used = new Uint8Array(points.count);
    const count = order?.count ?? points.count;
    for (let i = 0; i < count; i++) {
      if (i % PIECE === PIECE - 1) yield;
      const vertex = order?.scalar(i) ?? i;
      if (used[vertex] !== 0) continue; // drawn already, or not there
      used[vertex] = 1;
      points.element(vertex, point);
      if (!point.every(Number.isFinite)) return null;
      found.push(point[0] ?? 0, point[1] ?? 0, point[2] ?? 0);
      if (found.length > MAX_CLOUD_POINTS * 3) return null;
    }
  }
  return found.length === 0 ? null : Float64Array.from(found);
}

/** The points that a model draws. */
export interface ModelPoints {
  /** {@linkcode drawnPoints} by a mesh's index in the file. */
  readonly meshes: readonly (Float64Array | null)[];
  readonly placed: readonly PlacedMesh[];
}

/** Reads the vertices of a glTF or GLB file. */
export async function readModelPoints(
  bytes: Uint8Array<ArrayBuffer>,
  { readBeside, share }: { readonly readBeside: ReadBeside; readonly share: Share },
): Promise<Result<ModelPoints, GltfFailure>> {
  const opened = await share(openModel(bytes));
  if (!opened.ok) return opened;
  const { outline, binary } = opened.value;
  const buffers = await loadBuffers(outline, binary, { readBeside, share });
  if (!buffers.ok) return buffers;
  const numbers = await readNumbers({ outline, buffers: buffers.value }, eventLoopTurn);
  const meshes: (Float64Array | null)[] = [];
  const known = new Map<string, Float64Array | null>();
  for (const mesh of outline.meshes) {
    const key = drawingKey(mesh);
    const points = known.has(key)
      ? known.get(key) ?? null
      : await share(drawnPoints(mesh, numbers));
    known.set(key, points);
    meshes.push(points);
  }
  return ok({ meshes, placed: await share(placedMeshes(outline)) });
}
