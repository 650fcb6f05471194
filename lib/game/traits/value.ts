import type { JsonObject, JsonValue } from "../../core/json.ts";
import { isGuid } from "../../core/guid.ts";
import type { FieldSchema, TraitFields } from "../types/mod.ts";
import { readGuids } from "./references.ts";

/** The longest text of a field, in UTF-16 units: one trait's values always fit into an answer. */
export const MAX_TEXT_LENGTH = 10_000;

const COLOR = /^#(?:[0-9a-f]{6}|[0-9a-f]{8})$/;

/** The values that a field takes, in the words of an error. */
export function expectedOf(field: FieldSchema): string {
  switch (field.type) {
    case "number":
    case "integer":
      return `${field.type === "integer" ? "a whole number" : "a finite number"}${rangeOf(field)}`;
    case "boolean":
      return "true or false";
    case "string":
      return `text of at most ${MAX_TEXT_LENGTH} characters`;
    case "color":
      return 'a colour like "#rrggbb" or "#rrggbbaa" in lower case';
    case "enum":
      return `one of ${(field.options ?? []).map((option) => `"${option}"`).join(", ")}`;
    case "asset":
      return `the guid of an asset (${(field.options ?? []).join(", ")}), or ""`;
    case "entity":
      return field.list === true
        ? 'guids of entities with a space between two, or ""'
        : 'the guid of an entity, or ""';
  }
}

function rangeOf({ min, max }: FieldSchema): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max !== undefined ? ` of at most ${max}` : "";
}

/** Whether a field may hold `value`. The bounds themselves are allowed. */
export function acceptsValue(field: FieldSchema, value: unknown): value is JsonValue {
  switch (field.type) {
    case "number":
    case "integer":
      return typeof value === "number" && Number.isFinite(value) &&
        (field.type === "number" || Number.isSafeInteger(value)) &&
        value >= (field.min ?? -Infinity) && value <= (field.max ?? Infinity);
    case "boolean":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string" && value.length <= MAX_TEXT_LENGTH;
    case "color":
      return typeof value === "string" && COLOR.test(value);
    case "enum":
      return typeof value === "string" && (field.options ?? []).includes(value);
    case "asset":
    case "entity":
      if (field.list === true) {
        return typeof value === "string" && readGuids(value).every((guid) => isGuid(guid));
      }
      return value === "" || (typeof value === "string" && isGuid(value));
  }
}

/** Returns a number of a trait or of an authored asset; `otherwise` if absent or not a number. */
export function numberIn(fields: JsonObject | undefined, name: string, otherwise = 0): number {
  return numberOr(fields?.[name], otherwise);
}

/**
 * Returns a field's value if it is a number. Code that runs in every step names the field at the
 * call (`numberOr(fields?.["x"], 0)`): engines access a property several times slower by a name
 * passed as a variable.
 */
export function numberOr(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

/** Returns a text of a trait or of an authored asset; `""` if absent or not a text. */
export function textIn(fields: JsonObject | undefined, name: string): string {
  return textOr(fields?.[name]);
}

/** Returns a field's value if it is a text, otherwise `""`; see {@linkcode numberOr}. */
export function textOr(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Returns whether a switch of a trait is on, the default if absent. */
export function isOn(fields: TraitFields | undefined, name: string): boolean {
  return fields?.[name] !== false;
}
