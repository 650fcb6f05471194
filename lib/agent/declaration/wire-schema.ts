import { z } from "zod";
import type { JsonObject } from "../../core/json.ts";

/** Parts of a schema to omit. */
export interface SmallSchemaOptions {
  /** Parameters whose documentation the reader already has. */
  readonly undocumented?: readonly string[];
  /**
   * Omits bounds that no caller exceeds (no empty text, no count below 1, nothing beyond `FAR`),
   * and the length of a list whose documentation states it. Off when absent.
   */
  readonly withoutBounds?: boolean;
}

/** Bounds at or above this only guard against typing errors and hostile input. */
const FAR = 10_000;

/**
 * Returns a JSON Schema without keywords that cost every agent tokens and say nothing: `$schema`,
 * `additionalProperties: false`, and the bounds of safe integers. Only keywords are dropped, never
 * a value such as a default or an enum member; zod still validates everything.
 */
export function smallJsonSchema(
  schema: z.core.$ZodType,
  { undocumented = [], withoutBounds = false }: SmallSchemaOptions = {},
): JsonObject {
  const full = z.toJSONSchema(schema, {
    unrepresentable: "any", // a custom check states its type itself
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
  delete schema.maxLength; // a longer text is refused with the bound
  delete schema.minItems;
  delete schema.maxItems;
  const { minimum, maximum } = schema;
  if (minimum === 0 || minimum === 1 || Math.abs(minimum ?? 0) >= FAR) delete schema.minimum;
  if (Math.abs(maximum ?? 0) >= FAR) delete schema.maximum;
}
