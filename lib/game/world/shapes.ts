import type { ColliderDesc } from "@dimforge/rapier3d-compat";
import type { AssetDetails } from "../assets/details.ts";
import { renderableBounds } from "../assets/renderable-bounds.ts";
import type { Bounds } from "../geometry/bounds.ts";
import type { TraitFields, Vec3 } from "../types/mod.ts";
import { numberIn, textIn } from "../traits/value.ts";
import type { LiveEntity } from "./live-world.ts";
import type { Rapier } from "./rapier.ts";

/** The engine refuses sizes of 0, and loses its precision far away. */
const [SMALLEST, LARGEST] = [1e-3, 1e6];

/** A shape for the engine, and data for its body. */
export interface Shape {
  readonly desc: ColliderDesc;
  /** Half of its shortest direction, in metres. */
  readonly radius: number;
  /** Centre of the shape in its own space; `null` at its origin. */
  readonly offset: Vec3 | null;
}

/** Makes the shapes of colliders. */
export class Shapes {
  readonly #rapier: Rapier;
  readonly #details: AssetDetails;

  constructor(rapier: Rapier, details: AssetDetails) {
    this.#rapier = rapier;
    this.#details = details;
  }

  /** The shape of an entity's Collider. @param scale Of the entity in the world, along its axes. */
  of({ traits }: LiveEntity, scale: Vec3): Shape {
    const fields = traits["Collider"];
    const { ColliderDesc } = this.#rapier;
    const [x, y, z] = [
      half(numberIn(fields, "width", 1) * scale[0]),
      half(numberIn(fields, "height", 1) * scale[1]),
      half(numberIn(fields, "depth", 1) * scale[2]),
    ];
    switch (textIn(fields, "shape")) {
      case "sphere":
        return { desc: ColliderDesc.ball(x), radius: x, offset: null };
      case "capsule": {
        const desc = ColliderDesc.capsule(Math.max(SMALLEST, y - x), x);
        return { desc, radius: x, offset: null };
      }
      case "cylinder":
        return { desc: ColliderDesc.cylinder(y, x), radius: Math.min(x, y), offset: null };
      case "mesh": {
        const bounds = renderableBounds(traits["Renderable3D"] ?? {}, this.#details);
        return bounds === undefined ? this.#cuboid([x, y, z]) : this.#box(bounds, scale);
      }
      default:
        return this.#cuboid([x, y, z]);
    }
  }

  #cuboid([x, y, z]: Vec3, offset: Vec3 | null = null): Shape {
    const desc = this.#rapier.ColliderDesc.cuboid(x, y, z);
    if (offset !== null) desc.setTranslation(offset[0], offset[1], offset[2]);
    return { desc, radius: Math.min(x, y, z), offset };
  }

  #box({ min, max }: Bounds, [sx, sy, sz]: Vec3): Shape {
    const [x, y, z] = [
      half((max[0] - min[0]) * sx),
      half((max[1] - min[1]) * sy),
      half((max[2] - min[2]) * sz),
    ];
    return this.#cuboid([x, y, z], [
      (min[0] + max[0]) / 2 * sx,
      (min[1] + max[1]) / 2 * sy,
      (min[2] + max[2]) / 2 * sz,
    ]);
  }
}

/** A mass that the engine takes, in kg. */
export function massOf(fields: TraitFields | undefined): number {
  return Math.max(SMALLEST, numberIn(fields, "mass", 1));
}

/** Clamps a position to the engine's range. */
export function clampPosition(at: Vec3): Vec3 {
  return [inside(at[0]), inside(at[1]), inside(at[2])];
}

function inside(value: number): number {
  return Math.min(LARGEST, Math.max(-LARGEST, value || 0));
}

function half(size: number): number {
  return Math.min(LARGEST, Math.max(SMALLEST, Math.abs(size) / 2));
}
