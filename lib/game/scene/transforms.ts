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

/** Where an entity is in its layer's world. */
export interface WorldPlace {
  /** With everything that its ancestors do to it, shear as well: what bounds are computed with. */
  readonly affine: Affine;
  /** The rotations of its ancestors and its own, without any scale. */
  readonly rotation: Mat3;
  /** Whether it has a Transform of its own. */
  readonly placed: boolean;
}

/** A place with all that it follows from. */
export interface FoundPlace extends WorldPlace {
  /** The layer that it is a place of. */
  readonly layer: Layer;
  /** The fields that it was found from. */
  readonly transform: TraitFields | undefined;
  /** Where it hangs; `undefined` for what starts at the origin. */
  readonly parent: FoundPlace | undefined;
}

/**
 * The place of every entity. A layer is a world of its own: metres and pixels do not add up, so an
 * entity below a parent of another layer starts at the origin. One without a Transform is where its
 * parent is.
 *
 * @param entities Every parent before its children.
 * @param before Places found earlier: those that follow from the same values are taken over as they
 * are. The fields of a Transform must not have been changed in place since.
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

/** The place that a Transform says below another one; `undefined` for the origin. */
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
  // Most things have no scale, nor what they hang below: then both are the same to the last bit.
  const isPlain = affine.linear === rotation && scale[0] === 1 && scale[1] === 1 && scale[2] === 1;
  const linear = isPlain ? turned : multiply(affine.linear, scaleColumns(own, scale));
  return {
    affine: { linear, offset: positionBelow(parent, transform) },
    rotation: turned,
    placed: true,
  };
}

/** Where that place has its origin. */
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
 * Position, rotation and scale of a place. The scale is what remains along the rotated axes; where
 * a turned child stands in an unevenly scaled parent there is shear, which three numbers cannot say.
 */
export function worldTransform({ affine, rotation }: WorldPlace): WorldTransform {
  const scaled = multiply(transpose(rotation), affine.linear);
  const scale: Vec3 = [scaled[0], scaled[4], scaled[8]];
  return { position: affine.offset, rotation: eulerOf(rotation), scale };
}
