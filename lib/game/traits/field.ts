import type { AssetType, FieldSchema, TraitSchema } from "../types/mod.ts";

// The field types from which traits are declared. Fields are flat scalars, so that `where`
// expressions, watches and animation keys can all address `<Trait>.<field>`.

/** The bounds of a number, and its unit. */
export interface NumberLimits {
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
}

/** A finite number. */
export function number(preset: number, doc: string, limits: NumberLimits = {}): FieldSchema {
  return { type: "number", ...limits, default: preset, doc };
}

/** Declares an integer. */
export function integer(preset: number, doc: string, limits: NumberLimits = {}): FieldSchema {
  return { type: "integer", ...limits, default: preset, doc };
}

/** `true` or `false`; on unless given. */
export function on(doc: string): FieldSchema {
  return { type: "boolean", default: true, doc };
}

/** `true` or `false`; off unless given. */
export function off(doc: string): FieldSchema {
  return { type: "boolean", default: false, doc };
}

/** Text. */
export function textField(preset: string, doc: string): FieldSchema {
  return { type: "string", default: preset, doc };
}

/** `#rrggbb` or `#rrggbbaa`, lower case. */
export function color(preset: string, doc: string): FieldSchema {
  return { type: "color", default: preset, doc };
}

/** Declares a choice from a closed list; the first is the default. */
export function choiceField(options: readonly [string, ...string[]], doc: string): FieldSchema {
  return { type: "enum", default: options[0], options, doc };
}

/** Declares the guid of an asset of one of these types, or `""` for none. */
export function asset(types: readonly AssetType[], doc: string): FieldSchema {
  return { type: "asset", default: "", options: types, doc };
}

/** Declares the guid of an entity of the same scene, or `""` for none. */
export function entity(doc: string): FieldSchema {
  return { type: "entity", default: "", doc };
}

/** The guids of any number of entities of the same scene, with a space between two. */
export function entities(doc: string): FieldSchema {
  return { type: "entity", list: true, default: "", doc };
}

/** A trait that gives an entity something to do or to be. */
export function component(
  name: string,
  doc: string,
  fields: TraitSchema["fields"],
): TraitSchema {
  return { name, category: "component", doc, fields };
}

/** A trait without fields, that entities are found by. */
export function tag(name: string, doc: string): TraitSchema {
  return { name, category: "tag", doc, fields: {} };
}

/** A trait that a scene carries once, on any entity. */
export function resource(
  name: string,
  doc: string,
  fields: TraitSchema["fields"],
): TraitSchema {
  return { name, category: "resource", doc, fields };
}
