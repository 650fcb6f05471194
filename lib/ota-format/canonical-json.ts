import { decodeUtf8, isWellFormed } from "../core/bytes.ts";
import { compareCodeUnits, type JsonObject, type JsonValue, own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";

// JSON as the update records use it: RFC 8785 for writing, and for reading only such texts that
// every language reads alike (JSON-1 to JSON-9). `JSON.parse` cannot tell a duplicate key, so the
// reader is our own. The same refusals are made in Swift and Java; vectors/json holds them.

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

/** Parses UTF-8 bytes; see {@linkcode parseStrictJson}. */
export function parseStrictJsonBytes(
  bytes: Uint8Array,
): Result<JsonValue, Failure<JsonFailureCode>> {
  const text = decodeUtf8(bytes);
  return text === null
    ? fail("not-utf8", "Cannot read JSON: the bytes are not UTF-8")
    : parseStrictJson(text);
}

/**
 * Parses JSON strictly: RFC 8259, and besides no byte order mark, numbers only as whole numbers
 * within ±(2^53−1) written without fraction, exponent or minus zero, no duplicate key, no
 * `__proto__`, no lone surrogate, at most 32 levels.
 */
export function parseStrictJson(text: string): Result<JsonValue, Failure<JsonFailureCode>> {
  try {
    return ok(new Reader(text).readAll());
  } catch (thrown) {
    if (thrown instanceof Refusal) return fail(thrown.code, `Cannot read JSON: ${thrown.message}`);
    throw thrown;
  }
}

/** Ends the recursive descent; never leaves this file. */
class Refusal extends Error {
  readonly code: JsonFailureCode;

  constructor(code: JsonFailureCode, found: string, at: number) {
    super(`${found} at character ${at}`);
    this.code = code;
  }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;
// deno-lint-ignore no-control-regex
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const SPACE = /[ \t\n\r]*/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): JsonValue {
    if (this.#text.startsWith("\ufeff")) {
      throw new Refusal("byte-order-mark", "a byte order mark", 0);
    }
    const value = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#syntax("the end");
    return value;
  }

  #value(depth: number): JsonValue {
    this.#skipSpace();
    switch (this.#text.charAt(this.#at)) {
      case "{":
        return this.#object(depth + 1);
      case "[":
        return this.#array(depth + 1);
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #object(depth: number): JsonObject {
    this.#enter(depth);
    const members: Record<string, JsonValue> = {};
    if (this.#skipSpace() === "}") return this.#leave(members);
    for (;;) {
      if (this.#skipSpace() !== '"') throw this.#syntax("a key");
      const at = this.#at;
      const key = this.#string();
      if (key === "__proto__") throw new Refusal("forbidden-key", 'the key "__proto__"', at);
      if (own(members, key) !== undefined) {
        throw new Refusal(
          "duplicate-key",
          `the key ${JSON.stringify(key.slice(0, 80))} a second time`,
          at,
        );
      }
      if (this.#skipSpace() !== ":") throw this.#syntax("':'");
      this.#at++;
      members[key] = this.#value(depth);
      const next = this.#skipSpace();
      if (next === "}") return this.#leave(members);
      if (next !== ",") throw this.#syntax("',' or '}'");
      this.#at++;
    }
  }

  #array(depth: number): JsonValue[] {
    this.#enter(depth);
    const items: JsonValue[] = [];
    if (this.#skipSpace() === "]") return this.#leave(items);
    for (;;) {
      items.push(this.#value(depth));
      const next = this.#skipSpace();
      if (next === "]") return this.#leave(items);
      if (next !== ",") throw this.#syntax("',' or ']'");
      this.#at++;
    }
  }

  #string(): string {
    const start = this.#at++;
    let text = "";
    for (;;) {
      text += this.#match(PLAIN);
      const stop = this.#text.charAt(this.#at);
      if (stop === '"') break;
      if (stop !== "\\") throw this.#syntax("the end of a string");
      text += this.#escape();
    }
    this.#at++;
    if (!isWellFormed(text)) {
      throw new Refusal("lone-surrogate", "a lone surrogate in a string", start);
    }
    return text;
  }

  #escape(): string {
    const letter = this.#text.charAt(this.#at + 1);
    if (letter === "u") {
      const digits = this.#text.slice(this.#at + 2, this.#at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#syntax("four hexadecimal digits");
      this.#at += 6;
      return String.fromCharCode(parseInt(digits, 16));
    }
    const plain = ESCAPES.get(letter);
    if (plain === undefined) throw this.#syntax("an escape");
    this.#at += 2;
    return plain;
  }

  #number(): number {
    const at = this.#at;
    const digits = this.#match(NUMBER);
    if (digits === "") throw this.#syntax("a value");
    const value = Number(digits);
    if (!INTEGER.test(digits) || !Number.isSafeInteger(value)) {
      throw new Refusal(
        "number",
        `${digits.slice(0, 40)} where only whole numbers within 2^53-1 may stand`,
        at,
      );
    }
    return value;
  }

  #word<T extends JsonValue>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#syntax("a value");
    this.#at += word.length;
    return value;
  }

  #enter(depth: number): void {
    if (depth > LIMITS.jsonDepth) {
      throw new Refusal("too-deep", `more than ${LIMITS.jsonDepth} levels`, this.#at);
    }
    this.#at++;
  }

  #leave<T>(value: T): T {
    this.#at++;
    return value;
  }

  #skipSpace(): string {
    this.#match(SPACE);
    return this.#text.charAt(this.#at);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  #syntax(expected: string): Refusal {
    const found = this.#at < this.#text.length
      ? JSON.stringify(this.#text.slice(this.#at, this.#at + 12))
      : "the end";
    return new Refusal("syntax", `found ${found}, expected ${expected}`, this.#at);
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
