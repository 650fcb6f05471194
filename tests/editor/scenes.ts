import type { EntitySeed } from "../../lib/game/scene/document.ts";
import { EntityDocument } from "../../lib/game/scene/document.ts";
import type { Entity, Layer, TraitFields } from "../../lib/editor/ports/mod.ts";
import { defaultFields, TraitRegistry } from "../../lib/game/traits/registry.ts";

const registry = new TraitRegistry();

/** The guid of the `n`th entity of a test. */
export function guid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** An entity as tests write it: fields at their defaults are left out. */
export interface Sketch {
  readonly layer?: Layer;
  readonly parentId?: number;
  readonly traits?: Readonly<Record<string, TraitFields>>;
}

/** A seed with whole traits. */
export function seed(n: number, { layer = "3d", parentId, traits = {} }: Sketch): EntitySeed {
  const complete = Object.entries(traits).map(([name, fields]) => {
    const schema = registry.get(name);
    if (schema === undefined) throw new TypeError(`No trait ${name}`);
    return [name, { ...defaultFields(schema), ...fields }] as const;
  });
  return {
    guid: guid(n),
    name: `Entity ${n}`,
    parentId: parentId ?? null,
    layer,
    traits: Object.fromEntries(complete),
  };
}

/** A document of sketches with the ids 1, 2, 3, … */
export function documentOf(sketches: readonly Sketch[]): EntityDocument {
  return new EntityDocument(sketches.map((sketch, index) => seed(index + 1, sketch)));
}

/** The entities of {@linkcode documentOf}, in document order. */
export function entitiesOf(sketches: readonly Sketch[]): readonly Entity[] {
  return documentOf(sketches).entities();
}
