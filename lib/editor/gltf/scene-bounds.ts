import { runAtOnce, type Work } from "../../core/cooperative.ts";
import { placedBounds, unitedBounds } from "../bounds.ts";
import type { Bounds } from "../layout/project3d.ts";
import { add, type Affine, multiply, ORIGIN, place, scaleColumns } from "../math.ts";
import { openContainer } from "./container.ts";
import { measureMeshes, type MeshFacts } from "./meshes.ts";
import { outlineOf } from "./outline.ts";
import type { GltfOutline } from "./outline-types.ts";
import { matrixOf, placementOf } from "./transforms.ts";

/** The box around everything that the scene shows, made of the boxes of its meshes. */
export function* sceneBounds(
  outline: GltfOutline,
  facts: readonly MeshFacts[],
): Work<Bounds | null> {
  const boxes: Bounds[] = [];
  const open: (readonly [number, Affine])[] = outline.roots.map((root) => [root, ORIGIN]);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [index, parent] = next;
    if (index % 256 === 255) yield;
    const node = outline.nodes[index];
    if (node === undefined) continue;
    const { translation, rotation, scale } = placementOf(node);
    const affine: Affine = {
      linear: multiply(parent.linear, scaleColumns(matrixOf(rotation), scale)),
      offset: add(place({ linear: parent.linear, offset: [0, 0, 0] }, translation), parent.offset),
    };
    const bounds = node.mesh === undefined ? null : facts[node.mesh]?.bounds ?? null;
    if (bounds !== null) boxes.push(placedBounds(bounds, affine));
    for (const child of node.children) open.push([child, affine]);
  }
  return unitedBounds(boxes);
}

/**
 * The box around a model as its JSON tells it (`min` and `max` of positions), without a look at its
 * buffers; `null` when it is damaged, or tells nothing.
 *
 * @param json The JSON text of the file.
 */
export function toldBounds(json: Uint8Array<ArrayBuffer>): Bounds | null {
  const container = openContainer(json);
  const parsed = container.ok ? parseJson(container.value.text) : undefined;
  const outline = runAtOnce(outlineOf(parsed));
  if (!outline.ok) return null;
  const facts = runAtOnce(measureMeshes(outline.value, new Map()));
  return facts.ok ? runAtOnce(sceneBounds(outline.value, facts.value)) : null;
}

/** The value of JSON text; `undefined` when it is none. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined; // told as "does not parse"
  }
}
