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
} from "./math.ts";
import type { Entity, TraitFields, Vec3, WorldTransform } from "./ports.ts";
import { numberIn } from "./traits/value.ts";

/** Where an entity is in its layer's world. */
export interface WorldPlace {
  /** With everything that its ancestors do to it, shear as well: what bounds are computed with. */
  readonly affine: Affine;
  /** The rotations of its ancestors and its own, without any scale. */
  readonly rotation: Mat3;
  /** Whether it has a Transform of its own. */
  readonly placed: boolean;
}

/**
 * The place of every entity. A layer is a world of its own: metres and pixels do not add up, so an
 * entity below a parent of another layer starts at the origin. One without a Transform is where its
 * parent is.
 *
 * @param entities Every parent before its children.
 */
export function worldPlaces(entities: readonly Entity[]): ReadonlyMap<number, WorldPlace> {
  const places = new Map<number, WorldPlace>();
  const layers = new Map<number, Entity["layer"]>();
  for (const entity of entities) {
    layers.set(entity.id, entity.layer);
    const sameWorld = entity.parentId !== null && layers.get(entity.parentId) === entity.layer;
    const parent = sameWorld ? places.get(entity.parentId) : undefined;
    places.set(entity.id, worldPlace(entity.traits["Transform"], parent));
  }
  return places;
}

function worldPlace(
  transform: TraitFields | undefined,
  parent: WorldPlace | undefined,
): WorldPlace {
  const { affine, rotation } = parent ?? { affine: ORIGIN, rotation: IDENTITY };
  if (transform === undefined) return { affine, rotation, placed: false };
  const own = rotationOf(vector(transform, ["rx", "ry", "rz"], 0));
  const scaled = scaleColumns(own, vector(transform, ["sx", "sy", "sz"], 1));
  return {
    affine: {
      linear: multiply(affine.linear, scaled),
      offset: place(affine, vector(transform, ["x", "y", "z"], 0)),
    },
    rotation: multiply(rotation, own),
    placed: true,
  };
}

function vector(
  fields: TraitFields,
  [x, y, z]: readonly [string, string, string],
  otherwise: number,
): Vec3 {
  return [
    numberIn(fields, x, otherwise),
    numberIn(fields, y, otherwise),
    numberIn(fields, z, otherwise),
  ];
}

/**
 * Position, rotation and scale of a place. The scale is what remains along the rotated axes; where
 * a turned child stands in an unevenly scaled parent there is shear, which three numbers cannot say.
 */
export function worldTransform({ affine, rotation }: WorldPlace): WorldTransform {
  const [x, , , , y, , , , z] = multiply(transpose(rotation), affine.linear);
  return { position: affine.offset, rotation: eulerOf(rotation), scale: [x, y, z] };
}
