import { own } from "../../core/json.ts";
import { nearestNames } from "../../core/nearest.ts";
import type { Entity, TraitSchema } from "../../editor/ports/mod.ts";

/** A field that a search uses; `null` for a trait itself. */
export interface AskedField {
  readonly trait: string;
  readonly field: string | null;
}

/** Types that can be compared with a number; a flag counts as 1 or 0. */
const COMPARED = ["number", "integer", "boolean"];

/**
 * Returns why no entity can match a search: an unknown trait or field, or a field that holds no
 * number.
 *
 * @returns A sentence about the first of them; `null` if there may be matches.
 */
export function noSuchFields(
  asked: readonly AskedField[],
  traits: readonly TraitSchema[],
  entities: readonly Entity[],
): string | null {
  for (const { trait, field } of asked) {
    const schema = traits.find((known) => known.name === trait);
    if (schema === undefined) {
      if (entities.some((entity) => own(entity.traits, trait) !== undefined)) continue;
      return unknown("trait", trait, traits.map((known) => known.name));
    }
    if (field === null) continue;
    const type = own(schema.fields, field);
    if (type === undefined) return unknown(`field of ${trait}`, field, Object.keys(schema.fields));
    if (!COMPARED.includes(type.type)) {
      const numbers = Object.entries(schema.fields)
        .filter(([, { type }]) => COMPARED.includes(type));
      return `${trait}.${field} is not a number; numbers are ` +
        (numbers.map(([name]) => name).join(", ") || "none of its fields");
    }
  }
  return null;
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const near = nearestNames(name, known);
  const next = near.length > 0 ? `did you mean ${near.join(" or ")}?` : "list_traits names them";
  return `There is no ${what} named ${JSON.stringify(name.slice(0, 80))}: ${next}`;
}
