import type { Asset, FieldSchema, TraitFields, TraitSchema, TraitValues } from "../ports/mod.ts";
import {
  acceptsValue,
  defaultFields,
  expectedOf,
  readGuids,
  type TraitRegistry,
} from "../../game/traits/mod.ts";
import { show, unknownName } from "../../core/shape.ts";

/** A field that was given the guid of an entity. */
export interface NamedEntity {
  readonly where: string;
  readonly guid: string;
}

/** Receives errors. */
export interface CheckListener {
  refuse(code: string, message: string): void;
  warn(message: string): void;
}

/** Validates traits and their fields against the registered schemas and the existing assets. */
export class FieldCheck {
  readonly #traits: TraitRegistry;
  readonly #assets: ReadonlyMap<string, Asset>;
  readonly #listener: CheckListener;
  #named: NamedEntity[] = [];

  constructor(
    { traits, assets }: { readonly traits: TraitRegistry; readonly assets: readonly Asset[] },
    listener: CheckListener,
  ) {
    this.#traits = traits;
    this.#assets = new Map(assets.map((asset) => [asset.guid, asset]));
    this.#listener = listener;
  }

  /** Returns the schema of a trait; refuses an unknown one. */
  schema(trait: string): TraitSchema | null {
    const schema = this.#traits.get(trait);
    if (schema !== undefined) return schema;
    const known = this.#traits.all().map(({ name }) => name);
    this.#listener.refuse("no-such-trait", unknownName("trait", trait, known));
    return null;
  }

  /** Returns traits with all of their fields; refuses invalid values. */
  wholeTraits(name: string, traits: TraitValues): Readonly<Record<string, TraitFields>> {
    const completed: [string, TraitFields][] = [];
    for (const [trait, fields] of Object.entries(traits)) {
      const schema = this.schema(trait);
      if (schema === null) continue;
      this.check(`"${name}" ${trait}`, fields, schema);
      completed.push([trait, { ...defaultFields(schema), ...fields }]);
    }
    return Object.fromEntries(completed);
  }

  /** Refuses fields that a trait does not have, and values that they do not take. */
  check(where: string, fields: TraitFields, schema: TraitSchema): void {
    for (const [name, value] of Object.entries(fields)) {
      const field = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
      if (field === undefined) {
        const message = `${where}: ${unknownName("field", name, Object.keys(schema.fields))}`;
        this.#listener.refuse("no-such-field", message);
      } else if (!acceptsValue(field, value)) {
        const message = `${where}.${name}: found ${show(value)}, expected ${expectedOf(field)}`;
        this.#listener.refuse("bad-value", message);
      } else if (typeof value === "string" && value !== "") {
        this.#checkReference(`${where}.${name}`, field, value);
      }
    }
  }

  /** The entities that fields were given since the last call. Whether they are there shows later. */
  takeNamed(): readonly NamedEntity[] {
    const named = this.#named;
    this.#named = [];
    return named;
  }

  #checkReference(where: string, field: FieldSchema, guid: string): void {
    if (field.type === "entity") {
      for (const one of readGuids(guid)) this.#named.push({ where, guid: one });
    }
    if (field.type !== "asset") return;
    const asset = this.#assets.get(guid);
    if (asset === undefined) {
      this.#listener.warn(`${where}: no asset of the project has the guid ${guid}`);
    } else if (field.options !== undefined && !field.options.includes(asset.type)) {
      const expected = field.options.join(" or ");
      const message = `${where}: "${asset.path}" is a ${asset.type}, expected a ${expected}`;
      this.#listener.refuse("wrong-asset-type", message);
    }
  }
}
