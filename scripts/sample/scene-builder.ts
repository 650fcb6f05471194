import type { Entity, Layer, TraitFields } from "../../lib/editor/ports/mod.ts";
import { serializeScene, TraitRegistry } from "../../lib/editor/mod.ts";
import type { AssetRef } from "./assets.ts";
import { guidFromName } from "../../lib/core/guid.ts";

/** The traits of an entity, without the fields that stay at their defaults. */
export type Traits = Readonly<Record<string, TraitFields>>;

/** What the parts of a scene are built with. */
export interface World {
  readonly scene: SceneBuilder;
  readonly ref: AssetRef;
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
