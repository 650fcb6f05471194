import { decodeUtf8, isWellFormed } from "../core/bytes.ts";
import { compareCodeUnits, type JsonValue } from "../core/json.ts";
import { JsonRefusal, readStrictJson } from "../core/json-grammar.ts";
import { LIMITS } from "../core/limits.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";

// JSON of the update records: written by RFC 8785, and read only if every language reads the text
// alike (JSON-1 to JSON-9). `JSON.parse` does not report a duplicate key, so this reader is our
// own. Swift and Java refuse the same texts; vectors/json tests them.

/** Why a text is refused. */
export type JsonFailureCode =
  | "not-utf8" // JSON-1
  | "byte-order-mark" // JSON-2
  | "syntax" // JSON-3
  | "number" // JSON-4
  | "duplicate-key" // JSON-5
  | "forbidden-key" // JSON-6
  | "lone-surrogate" // JSON-7
  | "too-deep"; // JSON-8

/** Parses UTF-8 bytes. @returns `not-utf8`, or as {@linkcode parseStrictJson}. */
export function parseStrictJsonBytes(
  bytes: Uint8Array,
): Result<JsonValue, Failure<JsonFailureCode>> {
  const text = decodeUtf8(bytes);
  return text === null
    ? fail("not-utf8", "Cannot read JSON: the bytes are not UTF-8")
    : parseStrictJson(text);
}

/**
 * Parses JSON strictly: RFC 8259, but with no byte order mark, numbers only as whole numbers within
 * ±(2^53−1) written without fraction, exponent or minus zero, no duplicate key, no `__proto__`, no
 * lone surrogate, and at most 32 levels.
 *
 * @returns `byte-order-mark`, `syntax`, `number`, `duplicate-key`, `forbidden-key`,
 * `lone-surrogate` or `too-deep`.
 */
export function parseStrictJson(text: string): Result<JsonValue, Failure<JsonFailureCode>> {
  try {
    return ok(readStrictJson(text));
  } catch (thrown) {
    if (thrown instanceof JsonRefusal) {
      return fail(thrown.code, `Cannot read JSON: ${thrown.message}`);
    }
    throw thrown;
  }
}

/**
 * Writes a value as RFC 8785 does (JSON-9): members ordered by UTF-16 code units, no white space,
 * the shortest escapes. Strings and whole numbers are written by ECMAScript's own rules, which
 * RFC 8785 §3.2.2 refers to.
 *
 * @throws {RangeError} When `value` holds what {@linkcode parseStrictJson} would refuse: that is a
 * bug of the caller, never bad input.
 */
export function canonicalJson(value: JsonValue, depth = 0): string {
  if (typeof value === "string") {
    if (!isWellFormed(value)) {
      throw new RangeError("Cannot write JSON: a string has a lone surrogate");
    }
    return JSON.stringify(value);
  }
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
      throw new RangeError(`Cannot write JSON: ${value} is not a whole number within 2^53-1`);
    }
    return String(value);
  }
  if (value === null || typeof value === "boolean") return String(value);
  if (depth >= LIMITS.jsonDepth) {
    throw new RangeError(`Cannot write JSON: more than ${LIMITS.jsonDepth} levels`);
  }
  if (isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(",")}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort(compareCodeUnits)) {
    const member = value[key];
    if (member === undefined) continue;
    if (key === "__proto__") throw new RangeError('Cannot write JSON: the key "__proto__"');
    members.push(`${canonicalJson(key)}:${canonicalJson(member, depth + 1)}`);
  }
  return `{${members.join(",")}}`;
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
