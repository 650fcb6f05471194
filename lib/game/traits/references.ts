import { eachOf, type Work } from "../../core/cooperative.ts";
import type { JsonValue } from "../../core/json.ts";
import type { Entity, FieldSchema, TraitSchema } from "../types/mod.ts";

/** A field of an entity that names an asset or another entity. */
export interface Reference {
  /** The entity that refers. */
  readonly entity: Entity;
  /** `<Trait>` that holds the field. */
  readonly trait: string;
  /** The field's name. */
  readonly name: string;
  /** The schema of the field. */
  readonly schema: FieldSchema;
  /** The guid that it names; never empty. */
  readonly guid: string;
}

/** The fields of traits that hold guids. */
export type ReferenceFields = ReadonlyMap<
  string,
  readonly { readonly name: string; readonly schema: FieldSchema }[]
>;

/**
 * Returns the fields of these traits that reference an asset or an entity; omits traits without
 * any.
 */
export function referenceFields(traits: readonly TraitSchema[]): ReferenceFields {
  const found = new Map<string, { readonly name: string; readonly schema: FieldSchema }[]>();
  for (const { name: trait, fields } of traits) {
    const named = Object.entries(fields)
      .filter(([, { type }]) => type === "asset" || type === "entity")
      .map(([name, schema]) => ({ name, schema }));
    if (named.length > 0) found.set(trait, named);
  }
  return found;
}

/** Yields all references to an asset or an entity. */
export function* referencesTo(
  guid: string,
  entities: readonly Entity[],
  fields: ReferenceFields,
): Work<readonly Reference[]> {
  const found: Reference[] = [];
  yield* eachOf(entities, (entity) => {
    for (const reference of referencesOf([entity], fields)) {
      if (reference.guid === guid) found.push(reference);
    }
  });
  return found;
}

/** Yields all references of these entities in order; skips empty fields. */
export function* referencesOf(
  entities: Iterable<Entity>,
  fields: ReferenceFields,
): IterableIterator<Reference> {
  for (const entity of entities) {
    for (const trait of Object.keys(entity.traits)) {
      for (const { name, schema } of fields.get(trait) ?? []) {
        for (const guid of readGuids(entity.traits[trait]?.[name])) {
          yield { entity, trait, name, schema, guid };
        }
      }
    }
  }
}

/** Returns the guids in a field: one, or a space-separated list; none for `""`. */
export function readGuids(value: JsonValue | undefined): readonly string[] {
  return typeof value === "string" && value !== "" ? value.split(" ") : [];
}
