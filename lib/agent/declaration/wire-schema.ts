import { z } from "zod";
import type { JsonObject } from "../../core/json.ts";

/** Options: further parts to leave out. */
export interface SmallSchemaOptions {
  /** Parameters whose doc the reader has already. */
  readonly undocumented?: readonly string[];
  /** Leaves out the bounds that nobody oversteps: no empty text, nothing below 0. Off when absent. */
  readonly withoutBounds?: boolean;
}

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
      if (withoutBounds && jsonSchema.minLength === 1) delete jsonSchema.minLength;
      if (withoutBounds) delete jsonSchema.maxLength; // who gives a longer text is told
      if (withoutBounds && jsonSchema.minimum === 0) delete jsonSchema.minimum;
      if (jsonSchema.type !== "integer") return;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  const { $schema: _dialect, ...small } = full;
  const plain: JsonObject = JSON.parse(JSON.stringify(small)); // its type allows more than JSON
  return plain;
}
