import { jsonParsing } from "../../core/json-pieces.ts";
import type { Work } from "../../core/cooperative.ts";
import { type Bounds, placedBounds, PointCloud, unitedBounds } from "../../game/geometry/mod.ts";
import { openContainer } from "./container.ts";
import { drawnPoints, placedMeshes } from "./drawn-points.ts";
import { MODEL_LIMITS } from "./limits.ts";
import { measureMeshes, type MeshFacts } from "./meshes.ts";
import type { Numbers } from "./numbers.ts";
import { outlineOf } from "./outline.ts";
import { drawingKey, type GltfOutline } from "./outline-types.ts";

/**
 * Returns the box around everything that the scene shows: around all vertices at their places.
 *
 * @param facts.numbers A mesh without its vertices here is measured by its box.
 */
export function* sceneBounds(
  outline: GltfOutline,
  { meshes, numbers }: { readonly meshes: readonly MeshFacts[]; readonly numbers: Numbers },
): Work<Bounds | null> {
  const known = new Map<string, PointCloud | null>();
  let blocks = 0;
  const boxes: Bounds[] = [];
  for (const { mesh: index, affine } of yield* placedMeshes(outline)) {
    const mesh = outline.meshes[index];
    const bounds = meshes[index]?.bounds ?? null;
    if (mesh === undefined || bounds === null) continue;
    const key = drawingKey(mesh);
    let cloud = known.get(key);
    if (cloud === undefined) {
      const points = yield* drawnPoints(mesh, numbers);
      cloud = points === null ? null : yield* PointCloud.of(points);
      known.set(key, cloud);
    }
    blocks += cloud?.blocks ?? 0;
    // A mesh shown too often is measured by its box, which is larger where it is rotated.
    const exact = blocks <= MODEL_LIMITS.blocks ? cloud : null;
    boxes.push(exact?.boundsAt(affine) ?? placedBounds(bounds, affine));
    yield;
  }
  return unitedBounds(boxes);
}

/**
 * Returns the box around a model from its JSON alone (`min` and `max` of positions), without
 * reading its buffers; `null` if the JSON is damaged or has no bounds.
 *
 * @param json The JSON text of the file.
 */
export function* toldBounds(json: Uint8Array<ArrayBuffer>): Work<Bounds | null> {
  const container = openContainer(json);
  const parsed = container.ok ? yield* jsonParsing(container.value.json) : undefined;
  const outline = yield* outlineOf(parsed);
  if (!outline.ok) return null;
  const numbers: Numbers = new Map();
  const facts = yield* measureMeshes(outline.value, numbers);
  if (!facts.ok) return null;
  return yield* sceneBounds(outline.value, { meshes: facts.value, numbers });
}
