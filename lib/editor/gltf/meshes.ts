import type { Work } from "../../core/cooperative.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Bounds } from "../../game/geometry/mod.ts";
import type { Vec3 } from "../ports/mod.ts";
import { badModel, type GltfFailure } from "./container.ts";
import type { NumberList, Numbers } from "./numbers.ts";
import type { AccessorOutline, GltfOutline, PrimitiveOutline } from "./outline-types.ts";

/** Facts of a primitive. */
export interface PrimitiveFacts {
  readonly vertices: number;
  readonly triangles: number;
  readonly material: number | undefined;
}

/** Facts of a mesh. */
export interface MeshFacts {
  readonly primitives: readonly PrimitiveFacts[];
  /** The box around its drawn vertices; `null` if it has none. */
  readonly bounds: Bounds | null;
}

/** A box that grows. */
class Box {
  readonly #min = [Infinity, Infinity, Infinity];
  readonly #max = [-Infinity, -Infinity, -Infinity];

  add(point: readonly number[]): void {
    for (let axis = 0; axis < 3; axis++) {
      const value = point[axis] ?? 0;
      if (value < (this.#min[axis] ?? 0)) this.#min[axis] = value;
      if (value > (this.#max[axis] ?? 0)) this.#max[axis] = value;
    }
  }

  bounds(): Bounds | null {
    const [min, max] = [corner(this.#min), corner(this.#max)];
    return min === null || max === null ? null : { min, max };
  }
}

function corner([x = 0, y = 0, z = 0]: readonly number[]): Vec3 | null {
  return Number.isFinite(x) && Number.isFinite(y) && Number.isFinite(z) ? [x, y, z] : null;
}

/** Measures every mesh: boxes around the vertices that are drawn, and counts. */
export function* measureMeshes(
  outline: GltfOutline,
  numbers: Numbers,
): Work<Result<readonly MeshFacts[], GltfFailure>> {
  const measured = new Map<string, Bounds | null>(); // meshes may share all of their numbers
  const meshes: MeshFacts[] = [];
  for (const [index, mesh] of outline.meshes.entries()) {
    const box = new Box();
    yield;
    for (const [place, primitive] of mesh.primitives.entries()) {
      if (place % 256 === 255) yield;
      const key = `${primitive.position} ${primitive.indices}`;
      let bounds = measured.get(key);
      if (bounds === undefined) {
        const found = yield* boundsOf(primitive, outline.accessors, numbers);
        if (!found.ok) {
          return badModel(`meshes[${index}].primitives[${place}] ${found.error}`);
        }
        bounds = found.value;
        measured.set(key, bounds);
      }
      if (bounds === null) continue;
      box.add(bounds.min);
      box.add(bounds.max);
    }
    meshes.push({
      primitives: mesh.primitives.map((primitive) => countsOf(primitive, outline.accessors)),
      bounds: box.bounds(),
    });
  }
  return ok(meshes);
}

function* boundsOf(
  { position, indices }: PrimitiveOutline,
  accessors: readonly AccessorOutline[],
  numbers: Numbers,
): Work<Result<Bounds | null, string>> {
  if (position === undefined) return ok(null);
  const points = numbers.get(position);
  const box = new Box();
  if (points === undefined) { // compressed
    const { min, max } = accessors[position] ?? {};
    if (min === undefined || max === undefined) return ok(null);
    box.add(min);
    box.add(max);
    return ok(box.bounds());
  }
  const order = indices === undefined ? undefined : numbers.get(indices);
  return order === undefined ? ok(yield* boxAround(points, box)) : yield* drawn(points, order, box);
}

/** Vertices that are looked at before others get their turn. */
const VERTICES_AT_ONCE = 16 * 1024;

function* boxAround(points: NumberList, box: Box): Work<Bounds | null> {
  const point: number[] = [0, 0, 0];
  for (let i = 0; i < points.count; i++) {
    if (i % VERTICES_AT_ONCE === VERTICES_AT_ONCE - 1) yield;
    box.add(points.element(i, point));
  }
  return box.bounds();
}

function* drawn(
  points: NumberList,
  order: NumberList,
  box: Box,
): Work<Result<Bounds | null, string>> {
  const { count } = points;
  const used = new Uint8Array(count); // most vertices are drawn several times
  const point: number[] = [0, 0, 0];
  for (let i = 0; i < order.count; i++) {
    if (i % VERTICES_AT_ONCE === VERTICES_AT_ONCE - 1) yield;
    const vertex = order.scalar(i);
    if (!Number.isInteger(vertex) || vertex < 0 || vertex >= count) {
      return { ok: false, error: `draws vertex ${vertex}, but it has only ${count}` };
    }
    if (used[vertex] === 1) continue;
    used[vertex] = 1;
    box.add(points.element(vertex, point));
  }
  return ok(box.bounds());
}

function countsOf(
  { position, indices, material, mode }: PrimitiveOutline,
  accessors: readonly AccessorOutline[],
): PrimitiveFacts {
  const vertices = position === undefined ? 0 : accessors[position]?.count ?? 0;
  const corners = indices === undefined ? vertices : accessors[indices]?.count ?? 0;
  const triangles = mode === 4
    ? Math.floor(corners / 3)
    : mode === 5 || mode === 6
    ? Math.max(0, corners - 2)
    : 0;
  return { vertices, triangles, material };
}
