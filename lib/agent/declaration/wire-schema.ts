import { z } from "zod";
import type { JsonObject } from "../../core/json.ts";

/** Options: further parts to leave out. */
export interface SmallSchemaOptions {
  /** Parameters whose doc the reader has already. */
  readonly undocumented?: readonly string[];
  /**
   * Leaves out the bounds that nobody oversteps (no empty text, nothing below 1 of what is counted, nothing
   * far out), and how long a list is whose doc says it. Off when absent.
   */
  readonly withoutBounds?: boolean;
}

/** A bound that is meant against what is mistyped or hostile. */
const FAR = 10_000;

/**
 * A schema as JSON Schema without what costs every agent tokens and says nothing: `$schema`,
 * `additionalProperties: false`, and the bounds of the safe integers. Only keywords are dropped,
 * never a value (a default, an enum member); validation is zod's and stays.
 */
export function smallJsonSchema(
  schema: z.core.$ZodType,
  { undocumented = [], withoutBounds = false }: SmallSchemaOptions = {},
): JsonObject {
  const full = z.toJSONSchema(schema, {
    unrepresentable: "any", // a rule of our own says its type itself
    override: ({ jsonSchema, path }) => {
      const parameter = path.length === 2 && path[0] === "properties" ? path[1] : undefined;
      if (undocumented.some((name) => name === parameter)) delete jsonSchema.description;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (withoutBounds) dropBounds(jsonSchema);
      if (jsonSchema.type !== "integer") return;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  const { $schema: _dialect, ...small } = full;
  const plain: JsonObject = JSON.parse(JSON.stringify(small)); // its type allows more than JSON
  return plain;
}

function dropBounds(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.minLength === 1) delete schema.minLength;
  delete schema.maxLength; // who gives a longer text is told
  delete schema.minItems;
  delete schema.maxItems;
  const { minimum, maximum } = schema;
  if (minimum === 0 || minimum === 1 || Math.abs(minimum ?? 0) >= FAR) delete schema.minimum;
  if (Math.abs(maximum ?? 0) >= FAR) delete schema.maximum;
}
