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
import { numberIn } from "../traits/value.ts";

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
  const { affine, rotation } = parent ?? { affine: ORIGIN, rotation: IDENTITY };
  if (transform === undefined) return { affine, rotation, placed: false };
  const turn: Vec3 = [
    numberIn(transform, "rx"),
    numberIn(transform, "ry"),
    numberIn(transform, "rz"),
  ];
  const scale: Vec3 = [
    numberIn(transform, "sx", 1),
    numberIn(transform, "sy", 1),
    numberIn(transform, "sz", 1),
  ];
  const own = rotationOf(turn);
  const at: Vec3 = [numberIn(transform, "x"), numberIn(transform, "y"), numberIn(transform, "z")];
  const turned = multiply(rotation, own);
  // Most things have no scale, nor what they hang below: then both are the same to the last bit.
  const isPlain = affine.linear === rotation && scale.every((factor) => factor === 1);
  const linear = isPlain ? turned : multiply(affine.linear, scaleColumns(own, scale));
  return { affine: { linear, offset: place(affine, at) }, rotation: turned, placed: true };
}

/**
 * Position, rotation and scale of a place. The scale is what remains along the rotated axes; where
 * a turned child stands in an unevenly scaled parent there is shear, which three numbers cannot say.
 */
export function worldTransform({ affine, rotation }: WorldPlace): WorldTransform {
  const [x, , , , y, , , , z] = multiply(transpose(rotation), affine.linear);
  return { position: affine.offset, rotation: eulerOf(rotation), scale: [x, y, z] };
}
