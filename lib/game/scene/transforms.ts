import { eachOf, type Work } from "../../core/cooperative.ts";
import {
  type Affine,
  eulerOf,
  IDENTITY,
  type Mat3,
  multiply,
  ORIGIN,
  place,
  rotationOf,
  scaleColumns,
  transpose,
} from "../geometry/math.ts";
import type { Entity, Layer, TraitFields, Vec3, WorldTransform } from "../types/mod.ts";
import { numberOr } from "../traits/value.ts";

/** Place of an entity in its layer's world. */
export interface WorldPlace {
  /** Includes all effects of its ancestors, even shear; used for bounds. */
  readonly affine: Affine;
  /** The rotations of its ancestors and its own, without any scale. */
  readonly rotation: Mat3;
  /** Whether it has a Transform of its own. */
  readonly placed: boolean;
}

/** A place with the values from which it was computed. */
export interface FoundPlace extends WorldPlace {
  /** The layer that it is a place of. */
  readonly layer: Layer;
  /** The fields that it was found from. */
  readonly transform: TraitFields | undefined;
  /** Place of its parent; `undefined` at the origin. */
  readonly parent: FoundPlace | undefined;
}

/**
 * Computes the place of every entity. A layer is a world of its own, because metres and pixels
 * cannot be added: an entity below a parent of another layer starts at the origin. One without a
 * Transform has its parent's place.
 *
 * @param entities Parents before their children.
 * @param before Earlier places; those computed from the same values are reused. The fields of a
 * Transform must not have been changed in place since.
 */
export function worldPlaces(
  entities: readonly Entity[],
  before?: ReadonlyMap<number, FoundPlace>,
): ReadonlyMap<number, FoundPlace> {
  const places = new Map<number, FoundPlace>();
  for (const entity of entities) put(places, entity, before);
  return places;
}

/** {@linkcode worldPlaces} as work that others may interrupt. */
export function* worldPlacesWork(
  entities: readonly Entity[],
  before?: ReadonlyMap<number, FoundPlace>,
): Work<ReadonlyMap<number, FoundPlace>> {
  const places = new Map<number, FoundPlace>();
  yield* eachOf(entities, (entity) => put(places, entity, before));
  return places;
}

function put(
  places: Map<number, FoundPlace>,
  { id, parentId, layer, traits: { Transform: transform } }: Entity,
  before: ReadonlyMap<number, FoundPlace> | undefined,
): void {
  const above = parentId === null ? undefined : places.get(parentId);
  const parent = above?.layer === layer ? above : undefined;
  const known = before?.get(id);
  const isSame = known?.transform === transform && known?.parent === parent &&
    known?.layer === layer;
  places.set(id, known !== undefined && isSame ? known : placeOf(layer, transform, parent));
}

function placeOf(
  layer: Layer,
  transform: TraitFields | undefined,
  parent: FoundPlace | undefined,
): FoundPlace {
  const { affine, rotation, placed } = placeBelow(parent, transform);
  return { affine, rotation, placed, layer, transform, parent };
}

/** Returns the place of a Transform below a parent; `undefined` for the origin. */
export function placeBelow(
  parent: WorldPlace | undefined,
  transform: TraitFields | undefined,
): WorldPlace {
  const affine = parent === undefined ? ORIGIN : parent.affine;
  const rotation = parent === undefined ? IDENTITY : parent.rotation;
  if (transform === undefined) return { affine, rotation, placed: false };
  const { rx, ry, rz, sx, sy, sz } = transform;
  const own = rotationOf([numberOr(rx, 0), numberOr(ry, 0), numberOr(rz, 0)]);
  const turned = multiply(rotation, own);
  const scale: Vec3 = [numberOr(sx, 1), numberOr(sy, 1), numberOr(sz, 1)];
  // Without any scale, both matrices are equal to the last bit.
  const isPlain = affine.linear === rotation && scale[0] === 1 && scale[1] === 1 && scale[2] === 1;
  const linear = isPlain ? turned : multiply(affine.linear, scaleColumns(own, scale));
  return {
    affine: { linear, offset: positionBelow(parent, transform) },
    rotation: turned,
    placed: true,
  };
}

/** Returns the origin of that place. */
export function positionBelow(
  parent: WorldPlace | undefined,
  transform: TraitFields | undefined,
): Vec3 {
  const affine = parent === undefined ? ORIGIN : parent.affine;
  if (transform === undefined) return affine.offset;
  const { x, y, z } = transform;
  return place(affine, [numberOr(x, 0), numberOr(y, 0), numberOr(z, 0)]);
}

/**
 * Decomposes a place into position, rotation and scale. The scale is measured along the rotated
 * axes; a rotated child of an unevenly scaled parent is sheared, which three numbers cannot
 * express.
 */
export function worldTransform({ affine, rotation }: WorldPlace): WorldTransform {
  const scaled = multiply(transpose(rotation), affine.linear);
  const scale: Vec3 = [scaled[0], scaled[4], scaled[8]];
  return { position: affine.offset, rotation: eulerOf(rotation), scale };
}
