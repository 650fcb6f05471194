import { nearestNames } from "../../core/nearest.ts";
import type { TraitFields, TraitSchema } from "../types/mod.ts";
import { GAMEPLAY_TRAITS } from "./gameplay.ts";
import { INPUT_TRAITS } from "./input.ts";
import { MOTION_TRAITS } from "./motion.ts";
import { RENDERING_TRAITS } from "./rendering.ts";
import { STRUCTURE_TRAITS } from "./structure.ts";
import { UI_TRAITS } from "./ui.ts";

/** The built-in traits of the embedded editor. */
export const BUILT_IN_TRAITS: readonly TraitSchema[] = [
  ...RENDERING_TRAITS,
  ...UI_TRAITS,
  ...MOTION_TRAITS,
  ...GAMEPLAY_TRAITS,
  ...INPUT_TRAITS,
  ...STRUCTURE_TRAITS,
];

/** The traits of a project, by name. */
export class TraitRegistry {
  readonly #byName: ReadonlyMap<string, TraitSchema>;

  /**
   * Creates a registry of these traits; of the built-in ones by default.
   *
   * @throws {TypeError} When two traits share a name, which is a programming error.
   */
  constructor(schemas: readonly TraitSchema[] = BUILT_IN_TRAITS) {
    const byName = new Map<string, TraitSchema>();
    for (const schema of schemas) {
      if (byName.has(schema.name)) {
        throw new TypeError(`Cannot register trait "${schema.name}" twice: expected unique names`);
      }
      byName.set(schema.name, schema);
    }
    this.#byName = byName;
  }

  /** Returns all schemas, in order of registration. */
  all(): readonly TraitSchema[] {
    return [...this.#byName.values()];
  }

  /** Returns a schema, or `undefined`. */
  get(name: string): TraitSchema | undefined {
    return this.#byName.get(name);
  }

  /** The known names most like `name`, best first. */
  nearest(name: string): readonly string[] {
    return nearestNames(name, [...this.#byName.keys()]);
  }
}

/** Every field of a trait at its default. */
export function defaultFields(schema: TraitSchema): TraitFields {
  return Object.fromEntries(
    Object.entries(schema.fields).map(([name, field]) => [name, field.default]),
  );
}
