import { eachOf, type Work } from "../core/cooperative.ts";
import type { AssetDetails } from "./asset-details.ts";
import { placedBounds } from "./bounds.ts";
import { meshBounds } from "./layout/layout.ts";
import { spriteSize, textSize } from "./layout/measured.ts";
import type { Bounds } from "./layout/project3d.ts";
import type { Entity, WorldBounds } from "./ports.ts";
import { numberIn } from "./traits/value.ts";
import type { WorldPlace } from "./transforms.ts";

/**
 * The box around each entity in its layer's world, whatever the camera sees: metres on the 3D layer,
 * pixels on the 2D layer. UI is laid out on the screen and has none.
 */
export function* worldBoundsWork(
  entities: readonly Entity[],
  places: ReadonlyMap<number, WorldPlace>,
  details: AssetDetails,
): Work<ReadonlyMap<number, WorldBounds>> {
  const boxes = new Map<number, WorldBounds>();
  yield* eachOf(entities, (entity) => {
    const place = places.get(entity.id);
    if (entity.layer === "ui" || place === undefined || !place.placed) return;
    const { affine, affine: { offset } } = place;
    const own = ownBounds(entity, details);
    boxes.set(entity.id, own === null ? { min: offset, max: offset } : placedBounds(own, affine));
  });
  return boxes;
}

function ownBounds(entity: Entity, details: AssetDetails): Bounds | null {
  const { Renderable3D: renderable, Sprite: sprite } = entity.traits;
  if (entity.layer === "3d") {
    return renderable === undefined ? null : meshBounds(renderable, details) ?? null;
  }
  const size = spriteSize(entity, details) ?? textSize(entity, details, Infinity);
  if (size === null) return null;
  const left = -numberIn(sprite, "pivotX", 0) * size.width;
  const top = -numberIn(sprite, "pivotY", 0) * size.height;
  return { min: [left, top, 0], max: [left + size.width, top + size.height, 0] };
}
