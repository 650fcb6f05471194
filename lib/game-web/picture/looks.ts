import type { Material, Texture } from "three";
import { textIn } from "../../game/traits/mod.ts";
import type { TraitFields } from "../../game/types/mod.ts";
import { type Materials, MaterialSurface } from "./materials.ts";
import type { DrawnShape, DrawnShapes } from "./shapes.ts";
import type { Textures } from "./textures.ts";

/** Names in a Renderable3D. */
export interface LookNames {
  /** A primitive, or `model`. */
  readonly mesh: string;
  /** The guid of the model or mesh. */
  readonly model: string;
  /** Guid of the material; `""` for those of the shape. */
  readonly material: string;
}

/** A shape with a surface for each of its parts. */
export interface Look {
  readonly shape: DrawnShape;
  /** Surfaces of materials, or materials of a model. */
  readonly surfaces: readonly (MaterialSurface | Material)[];
}

/** Returns the names in a Renderable3D. */
export function namesIn(fields: TraitFields | undefined): LookNames {
  return {
    mesh: textIn(fields, "mesh"),
    model: textIn(fields, "model"),
    material: textIn(fields, "material"),
  };
}

/** Looks of entities, each loaded once. */
export class Looks {
  readonly #shapes: DrawnShapes;
  readonly #materials: Materials;

  constructor(shapes: DrawnShapes, materials: Materials) {
    this.#shapes = shapes;
    this.#materials = materials;
  }

  /** Returns a look: `undefined` while any part of it is loading, `null` without a shape. */
  get({ mesh, model, material }: LookNames): Look | null | undefined {
    const shape = this.#shapes.get(mesh, model);
    const own = material === "" ? null : this.#materials.get(material);
    if (shape === undefined || own === undefined) return undefined;
    if (shape === null) return null;
    const surfaces: (MaterialSurface | Material)[] = [];
    for (const { surface } of shape.parts) {
      const found = own ?? (typeof surface === "string" ? this.#materials.get(surface) : surface);
      if (found !== undefined) surfaces.push(found);
    }
    return surfaces.length === shape.parts.length ? { shape, surfaces } : undefined;
  }

  /** Disposes of everything that none of these uses. @param more Textures with other users. */
  keep(names: readonly LookNames[], textures: Textures, more: readonly Texture[]): void {
    const looks = names.flatMap((one) => this.get(one) ?? []);
    const surfaces = looks.flatMap((look) =>
      look.surfaces.filter((one) => one instanceof MaterialSurface)
    );
    this.#shapes.keep(new Set(looks.map(({ shape }) => shape)));
    this.#materials.keep(new Set(surfaces));
    textures.keep(new Set([...surfaces.flatMap((one) => one.textures()), ...more]));
  }
}
