import type { Work } from "../../core/cooperative.ts";
import type { AssetDetails } from "../../game/assets/mod.ts";
import { type Bounds, placedBounds, primitiveBounds } from "../../game/geometry/mod.ts";
import { renderableBounds } from "../../game/assets/mod.ts";
import { spriteSize, textSize } from "../../game/layout/mod.ts";
import type { ModelShape, ModelShapes } from "./model-shapes.ts";
import type { Entity, TraitFields, WorldBounds } from "../ports/mod.ts";
import { numberIn, textIn } from "../../game/traits/mod.ts";
import type { WorldPlace } from "../../game/scene/mod.ts";

/** Everything from which the boxes of entities are derived. */
export interface WorldBoundsInput {
  readonly places: ReadonlyMap<number, WorldPlace>;
  readonly details: AssetDetails;
  /** The vertices of models; of others the box in `details` is taken to its place. */
  readonly shapes: ModelShapes;
  /** Boxes of shapes that were found before. */
  readonly known: KnownShapeBoxes;
}

/** Boxes by an entity's place, whose identity changes when it moves. */
export type KnownShapeBoxes = WeakMap<
  WorldPlace,
  { readonly shape: ModelShape; readonly box: Bounds }
>;

/** Blocks of points, and entities, between two turns of others. */
const PIECE = 256;

/**
 * Returns the box around each entity in its layer's world, regardless of the camera: metres on the
 * 3D layer, pixels on the 2D layer. UI is laid out on the screen and has none. A mesh's box
 * encloses its vertices before skinning and morphing.
 */
export function* worldBoundsWork(
  entities: readonly Entity[],
  input: WorldBoundsInput,
): Work<ReadonlyMap<number, WorldBounds>> {
  const boxes = new Map<number, WorldBounds>();
  let work = 0;
  for (const entity of entities) {
    const place = input.places.get(entity.id);
    if (entity.layer === "ui" || place === undefined || !place.placed) continue;
    const { affine, affine: { offset } } = place;
    const renderable = entity.layer === "3d" ? entity.traits["Renderable3D"] : undefined;
    const own = entity.layer === "3d" ? null : flatBounds(entity, input.details);
    const box = renderable !== undefined
      ? drawnBounds(renderable, place, input)
      : own === null
      ? null
      : placedBounds(own, affine);
    boxes.set(entity.id, box ?? { min: offset, max: offset });
    work += 1 + (renderable === undefined ? 0 : shapeOf(renderable, input)?.work ?? 0);
    if (work < PIECE) continue;
    work = 0;
    yield;
  }
  return boxes;
}

function shapeOf(renderable: TraitFields, { shapes }: WorldBoundsInput): ModelShape | undefined {
  const isModel = textIn(renderable, "mesh") === "model";
  return isModel ? shapes.get(textIn(renderable, "model")) : undefined;
}

function drawnBounds(
  renderable: TraitFields,
  place: WorldPlace,
  input: WorldBoundsInput,
): Bounds | null {
  const shape = shapeOf(renderable, input);
  if (shape !== undefined) {
    const before = input.known.get(place);
    if (before?.shape === shape) return before.box;
    const box = shape.boundsAt(place.affine);
    input.known.set(place, { shape, box });
    return box;
  }
  const primitive = primitiveBounds(textIn(renderable, "mesh"), place.affine);
  const own = primitive === undefined ? renderableBounds(renderable, input.details) : undefined;
  return primitive ?? (own === undefined ? null : placedBounds(own, place.affine));
}

function flatBounds(entity: Entity, details: AssetDetails): Bounds | null {
  const { Sprite: sprite } = entity.traits;
  const size = spriteSize(entity, details) ?? textSize(entity, details, Infinity);
  if (size === null) return null;
  const left = -numberIn(sprite, "pivotX", 0) * size.width;
  const top = -numberIn(sprite, "pivotY", 0) * size.height;
  return { min: [left, top, 0], max: [left + size.width, top + size.height, 0] };
}
