import { type JsonValue, own } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { isGuid } from "../../core/guid.ts";
import type {
  EditError,
  EditOp,
  Entity,
  FieldSchema,
  TraitFields,
  TraitSchema,
} from "../../editor/ports/mod.ts";
import { AssetIndex, EntityIndex, resolveAsset, resolveEntity } from "./entities.ts";
import { numberFromText } from "../declaration/parameters.ts";
import type { Services } from "../declaration/services.ts";

// Callers write a field's value as they know it: a number as text, an asset by its path. The editor
// accepts one spelling only, so values are converted here before it validates them.

/** Definitions that determine the types of values. */
interface Known {
  readonly traits: ReadonlyMap<string, TraitSchema>;
  readonly assets: AssetIndex;
  readonly entities: EntityIndex;
}

/**
 * Converts the field values of operations to the editor's spelling: text to a number or a flag
 * where the field is one, an asset's path or a guid prefix to the guid, the digits of a colour to
 * lower case. The editor refuses values that do not fit their field.
 *
 * @param given All entities of the open scene.
 * @returns The operations, or an error for each name that matches no or several assets or entities.
 */
export async function plainOps(
  { editor }: Services,
  ops: readonly EditOp[],
  given: readonly Entity[] | EntityIndex,
): Promise<Result<readonly EditOp[], readonly EditError[]>> {
  if (!ops.some(hasFields)) return ok(ops);
  const [traits, all] = await Promise.all([editor.traits(), editor.assets()]);
  const assets = new AssetIndex(all);
  const entities = given instanceof EntityIndex ? given : new EntityIndex(given);
  const named = new Map(traits.map((trait) => [trait.name, trait]));
  const values = new FieldValues({ traits: named, assets, entities });
  const plain = ops.map((op, index) => values.plainOp(op, index));
  return values.errors.length > 0 ? err(values.errors) : ok(plain);
}

function hasFields(op: EditOp): boolean {
  return op.op === "set" || op.op === "addTrait" || op.op === "create";
}

class FieldValues {
  readonly errors: EditError[] = [];
  readonly #known: Known;
  #op = 0;

  constructor(known: Known) {
    this.#known = known;
  }

  plainOp(op: EditOp, index: number): EditOp {
    this.#op = index;
    switch (op.op) {
      case "set":
        return { ...op, fields: this.#fields(op.trait, op.fields) };
      case "addTrait":
        return op.fields === undefined ? op : { ...op, fields: this.#fields(op.trait, op.fields) };
      case "create": {
        if (op.traits === undefined) return op;
        const traits = Object.entries(op.traits)
          .map(([trait, fields]) => [trait, this.#fields(trait, fields)] as const);
        return { ...op, traits: Object.fromEntries(traits) };
      }
      default:
        return op;
    }
  }

  #fields(trait: string, fields: TraitFields): TraitFields {
    const schema = this.#known.traits.get(trait);
    if (schema === undefined) return fields;
    return Object.fromEntries(
      Object.entries(fields).map(([name, value]) => {
        const field = own(schema.fields, name);
        const plain = field !== undefined && typeof value === "string"
          ? this.#value(`${trait}.${name}`, field, value)
          : value;
        return [name, plain];
      }),
    );
  }

  #value(where: string, { type }: FieldSchema, text: string): JsonValue {
    switch (type) {
      case "number":
      case "integer": {
        const number = numberFromText(text);
        return typeof number === "number" && Number.isFinite(number) ? number : text;
      }
      case "boolean":
        return text === "true" || (text === "false" ? false : text);
      case "color":
        return text.toLowerCase();
      case "asset":
        return this.#guid(where, text, () => resolveAsset(this.#known.assets, text));
      case "entity":
        return this.#guid(where, text, () => resolveEntity(this.#known.entities, { guid: text }));
      default:
        return text;
    }
  }

  /** A complete guid may name an entity that does not exist yet. */
  #guid(
    where: string,
    text: string,
    resolve: () => Result<{ readonly guid: string }, Problem>,
  ): string {
    if (text === "" || text.split(" ").every(isGuid)) return text;
    const found = resolve();
    if (found.ok) return found.value.guid;
    const { code, detail, hint } = found.error;
    const message = `${where}: ${detail}; ${hint}`;
    this.errors.push({ op: this.#op, code, message });
    return text;
  }
}
