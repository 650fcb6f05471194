import type { Entity, Layer, TraitFields } from "../../lib/editor/ports/mod.ts";
import { serializeScene, TraitRegistry } from "../../lib/editor/mod.ts";
import type { AssetRef } from "./assets.ts";
import type { Level } from "./levels.ts";
import { guidFromName } from "../../lib/core/guid.ts";

/** The traits of an entity, without the fields that stay at their defaults. */
export type Traits = Readonly<Record<string, TraitFields>>;

/** Context for building a scene. */
export interface Parts {
  readonly scene: SceneBuilder;
  readonly ref: AssetRef;
}

/** Context for building a level. */
export interface World extends Parts {
  readonly level: Level;
}

/** Three numbers: a place, or a size, in metres. */
export type Place = readonly [number, number, number];

/** The Transform of an entity. */
export function at([x, y, z]: Place, more: Traits[string] = {}): Traits {
  return { Transform: { x, y, z, ...more } };
}

/** Returns the drawing of a box of a material and a size, with its scale. */
export function box(
  material: string,
  [sx, sy, sz]: Place,
): { Renderable3D: Traits[string]; size: Traits[string] } {
  return { Renderable3D: { material }, size: { sx, sy, sz } };
}

/** Collects the entities of one scene. Names are unique in it, and references go by name. */
export class SceneBuilder {
  readonly #scene: string;
  readonly #entities: Entity[] = [];

  constructor(scene: string) {
    this.#scene = scene;
  }

  /** Adds an entity below `parent`. @returns Its name. */
  async add(
    layer: Layer,
    name: string,
    { parent, traits }: { readonly parent?: string; readonly traits: Traits },
  ): Promise<string> {
    if (this.#entities.some((entity) => entity.name === name)) {
      throw new TypeError(`Cannot add "${name}" twice to ${this.#scene}: expected unique names`);
    }
    const id = this.#entities.length + 1;
    const guid = await this.guid(name);
    const parentId = parent === undefined ? null : this.#idOf(parent);
    this.#entities.push({ id, guid, name, parentId, layer, traits });
    return name;
  }

  /** The guid that the entity of a name has, or will have. */
  guid(name: string): Promise<string> {
    return guidFromName("entity", `${this.#scene}/${name}`);
  }

  #idOf(name: string): number {
    const entity = this.#entities.find((one) => one.name === name);
    if (entity === undefined) throw new TypeError(`No "${name}" in ${this.#scene} yet`);
    return entity.id;
  }

  /** The scene file. */
  toFile(): Uint8Array {
    return serializeScene(this.#scene, this.#entities, new TraitRegistry());
  }
}
