import { z } from "zod";
import { isJsonObject, isJsonValue, type JsonObject, type JsonValue } from "../../core/json.ts";
import { DEFAULT_PRECISION } from "../answer/compact-json.ts";

// The kinds of parameters of which tool declarations consist. Each accepts text, because a query
// string contains nothing else and some MCP clients send every argument as text.

/** An optional parameter: its validation, its type and its documentation. */
export type Parameter<Value> = z.ZodType<Value | undefined>;

/** JSON spelling of a number, so that `0x10`, an empty text or ` 1` does not become a number. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Parses text that spells a number in JSON; returns anything else unchanged. */
export function numberFromText(value: unknown): unknown {
  return typeof value === "string" && NUMBER.test(value) ? Number(value) : value;
}

/** Parses JSON text of an object or a list; returns anything else unchanged. */
export function nestedFromText(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return parsed;
  } catch {
    return value; // is then refused as text
  }
}

function itemsFromText(value: unknown): readonly unknown[] | null {
  const nested = nestedFromText(value);
  if (Array.isArray(nested)) return nested;
  return typeof nested === "string" ? nested.split(",").map((item) => item.trim()) : null;
}

function numbersFromText(value: unknown): unknown {
  return itemsFromText(value)?.map(numberFromText) ?? (typeof value === "number" ? [value] : value);
}

/** Parses a flag from a number or text (TOOL-4); returns anything else unchanged. */
export function flagFromText(value: unknown): unknown {
  if (value === 1 || value === "1" || value === "true") return true;
  if (value === 0 || value === "0" || value === "false") return false;
  return value;
}

function idsFromText(value: unknown): unknown {
  if (typeof value !== "string") return Array.isArray(value) ? value.map(numberFromText) : [value];
  const list = /^\s*\[(.*)\]\s*$/.exec(value)?.[1] ?? value;
  return list.split(",").map((item) => numberFromText(item.trim()));
}

/** Declares a flag: on for `1` or `true`, off for `0` or `false` (TOOL-4). */
export function flag(doc: string): Parameter<boolean> {
  const schema = z.boolean({ error: "1 or true, 0 or false" });
  return z.preprocess(flagFromText, schema).optional().describe(doc);
}

/** Declares an integer from `min` to `max`. */
export function wholeNumber(
  doc: string,
  { min, max }: { readonly min: number; readonly max?: number },
): Parameter<number> {
  const error = `a whole number ${max === undefined ? `>= ${min}` : `from ${min} to ${max}`}`;
  const from = z.int({ error }).min(min, { error });
  const schema = max === undefined ? from : from.max(max, { error });
  return z.preprocess(numberFromText, schema).optional().describe(doc);
}

/** Declares a finite number from `min` to `max`, where given. */
export function anyNumber(
  doc: string,
  { min, max }: { readonly min?: number; readonly max?: number } = {},
): Parameter<number> {
  const bounds = min === undefined
    ? max === undefined ? "" : ` <= ${max}`
    : max === undefined
    ? ` >= ${min}`
    : ` from ${min} to ${max}`;
  const error = `a number${bounds}`;
  const from = min === undefined ? z.number({ error }) : z.number({ error }).min(min, { error });
  const schema = max === undefined ? from : from.max(max, { error });
  return z.preprocess(numberFromText, schema).optional().describe(doc);
}

/** Declares text of 1 to `max` characters. */
export function text(
  doc: string,
  { max }: { readonly max?: number } = {},
): Parameter<string> {
  const error = max === undefined
    ? "text of at least one character"
    : `text of 1 to ${max} characters`;
  const from = z.string({ error }).min(1, { error });
  return (max === undefined ? from : from.max(max, { error })).optional().describe(doc);
}

/** Declares a choice from a closed list. */
export function choice<const Choice extends string>(
  choices: readonly Choice[],
  doc: string,
): Parameter<Choice> {
  return z.enum(choices, { error: `one of ${choices.join(", ")}` }).optional().describe(doc);
}

/** Declares entity ids: a list, or comma-separated text. */
export function ids(doc: string): Parameter<readonly number[]> {
  const error = "whole numbers >= 0, as a list or as text with commas";
  const each = "a whole number >= 0";
  const schema = z.array(z.int({ error: each }).min(0, { error: each }), { error });
  return z.preprocess(idsFromText, schema).optional().describe(doc);
}

/** Declares numbers: a list, or comma-separated text; exactly `length` of them if given. */
export function numbers(
  doc: string,
  { length }: { readonly length?: number } = {},
): Parameter<readonly number[]> {
  const error = `${length ?? "a list of"} numbers, as a list or as text with commas`;
  const list = z.array(z.number({ error: "a finite number" }), { error });
  const schema = length === undefined ? list : list.length(length, { error });
  return z.preprocess(numbersFromText, schema).optional().describe(doc);
}

/** Declares texts of at least one character each: a list, or comma-separated text. */
export function texts(doc: string): Parameter<readonly string[]> {
  const error = "texts, as a list or with commas";
  const each = "text of at least one character";
  const schema = z.array(z.string({ error: each }).min(1, { error: each }), { error });
  return z.preprocess((value) => itemsFromText(value) ?? value, schema).optional().describe(doc);
}

/** Declares a JSON object, or its text. */
export function jsonObject(doc: string): Parameter<JsonObject> {
  const error = "a JSON object";
  // A custom check: a record of any values would cost every agent the tokens of the JSON Schema for
  // "any".
  const schema = jsonOf(isJsonObject, error).meta({ type: "object" });
  return z.preprocess(nestedFromText, schema).optional().describe(doc);
}

/** Declares a list of JSON objects, or its text. */
export function jsonList(doc: string): Parameter<readonly JsonObject[]> {
  const error = "a list of JSON objects";
  const item = jsonOf(isJsonObject, "a JSON object").meta({ type: "object" });
  return z.preprocess(nestedFromText, z.array(item, { error })).optional().describe(doc);
}

/** Declares any JSON value, unchanged: text stays text. */
export function jsonValue(doc: string): Parameter<JsonValue> {
  return jsonOf(isJsonValue, "a JSON value").optional().describe(doc);
}

/** Declares JSON; refuses a number that is not finite (`1e400`) with its path. */
function jsonOf<Value extends JsonValue>(
  accepts: (value: unknown) => value is Value,
  error: string,
): z.ZodCustom<Value, Value> {
  return z.custom<Value>().check(({ value, issues }) => {
    if (accepts(value)) return;
    const at = infinitePlace(value, MAX_SEARCH_DEPTH);
    if (at === null || at.path.length === 0) {
      issues.push({ code: "custom", input: value, message: error });
    } else {
      issues.push({
        code: "custom",
        input: at.found,
        path: [...at.path],
        message: "a finite number",
      });
    }
  });
}

/** Maximum depth of the search for a number that is not finite. */
const MAX_SEARCH_DEPTH = 64;

interface Place {
  readonly path: readonly string[];
  readonly found: number;
}

function infinitePlace(value: unknown, depth: number): Place | null {
  if (typeof value === "number") return Number.isFinite(value) ? null : { path: [], found: value };
  if (typeof value !== "object" || value === null || depth === 0) return null;
  for (const [name, member] of Object.entries(value)) {
    const place = infinitePlace(member, depth - 1);
    if (place !== null) return { ...place, path: [name, ...place.path] };
  }
  return null;
}

/**
 * Declares the maximum entries of a list. An explicit limit always wins over the tool's default,
 * even a larger one (TOOL-6).
 */
export function limit(preset: string): Parameter<number> {
  const error = "a whole number >= 0";
  const countable = (value: unknown) => {
    const number = numberFromText(value);
    return Number.isInteger(number) ? Math.min(Number(number), Number.MAX_SAFE_INTEGER) : number;
  };
  return z.preprocess(countable, z.int({ error }).min(0, { error })).optional()
    .describe(`maximum entries; ${preset} when absent`);
}

/** Declares the number of entries to skip in order to continue a cut list. */
export function after(): Parameter<number> {
  return wholeNumber("skips this many entries: next of a cut answer", { min: 0 });
}

/** Declares the significant digits of floats (BUDGET-4). */
export function precision(): Parameter<number> {
  const doc = `significant digits of floats, 1 to 17; 0 = exact; ${DEFAULT_PRECISION} when absent`;
  return wholeNumber(doc, { min: 0, max: 17 });
}
