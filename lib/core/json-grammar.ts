import { isWellFormed } from "./bytes.ts";
import { type JsonObject, type JsonValue, own } from "./json.ts";
import { LIMITS } from "./limits.ts";

// The grammar of JSON (RFC 8259), in two modes: strict for records that every language must read
// alike, and plain to find the place at which a hand-written text stops being JSON.

/** Why a text is refused. Of a plain reading only `byte-order-mark`, `syntax` and `too-deep`. */
export type JsonRefusalCode =
  | "byte-order-mark"
  | "syntax"
  | "number"
  | "duplicate-key"
  | "forbidden-key"
  | "lone-surrogate"
  | "too-deep";

/**
 * The place and the reason of a refusal. The message quotes nothing of the text, which may come
 * from an address that the reader of the message could not request.
 */
export class JsonRefusal extends Error {
  declare readonly code: JsonRefusalCode;
  /** Offset in UTF-16 code units. */
  declare readonly at: number;
  /** Text that would be accepted there, for the codes `syntax` and `byte-order-mark`. */
  declare readonly expected: string;

  /** Creates a refusal from what was found, and its place. */
  constructor(code: JsonRefusalCode, found: string, at: number, expected = "") {
    super(`${found} at character ${at}`);
    this.code = code;
    this.at = at;
    this.expected = expected;
  }
}

/**
 * Reads JSON, but accepts no byte order mark, numbers only as whole numbers within ±(2^53−1)
 * written without fraction, exponent or minus zero, no duplicate key, no `__proto__`, no lone
 * surrogate, and at most 32 levels.
 *
 * @throws {JsonRefusal}
 */
export function readStrictJson(text: string): JsonValue {
  return readJson(text, { strict: true, maxDepth: LIMITS.jsonDepth });
}

/** Levels that a plain reading follows: each takes room on the stack (DEV-58). */
const PLAIN_DEPTH = 500;

/** Finds the place at which a text stops being JSON by RFC 8259; `null` for valid JSON. */
export function jsonErrorIn(text: string): JsonRefusal | null {
  try {
    readJson(text, { strict: false, maxDepth: PLAIN_DEPTH });
    return null;
  } catch (thrown) {
    if (thrown instanceof JsonRefusal) return thrown;
    throw thrown;
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

/** Reads a complete text. A function with local state: fields of a class cost more on a phone. */
function readJson(
  text: string,
  { strict, maxDepth }: { readonly strict: boolean; readonly maxDepth: number },
): JsonValue {
  let at = 0;
  if (text.startsWith("\ufeff")) {
    throw new JsonRefusal("byte-order-mark", "a byte order mark", 0, "no byte order mark");
  }
  const value = readValue(0);
  skipSpace();
  if (at < text.length) throw syntax("the end");
  return value;

  function readValue(depth: number): JsonValue {
    skipSpace();
    switch (text.charAt(at)) {
      case "{":
        return readObject(depth + 1);
      case "[":
        return readArray(depth + 1);
      case '"':
        return readString();
      case "t":
        return readWord("true", true);
      case "f":
        return readWord("false", false);
      case "n":
        return readWord("null", null);
      default:
        return readNumber();
    }
  }

  function readObject(depth: number): JsonObject {
    enter(depth);
    const members: Record<string, JsonValue> = {};
    if (skipSpace() === "}") return leave(members);
    for (;;) {
      if (skipSpace() !== '"') throw syntax("a key");
      const start = at;
      const key = readString();
      if (strict) checkKey(members, key, start);
      if (skipSpace() !== ":") throw syntax("':'");
      at++;
      const value = readValue(depth);
      if (strict) members[key] = value;
      const next = skipSpace();
      if (next === "}") return leave(members);
      if (next !== ",") throw syntax("',' or '}'");
      at++;
    }
  }

  function readArray(depth: number): JsonValue[] {
    enter(depth);
    const items: JsonValue[] = [];
    if (skipSpace() === "]") return leave(items);
    for (;;) {
      items.push(readValue(depth));
      const next = skipSpace();
      if (next === "]") return leave(items);
      if (next !== ",") throw syntax("',' or ']'");
      at++;
    }
  }

  function readString(): string {
    const start = at++;
    let read = "";
    for (;;) {
      read += match(PLAIN);
      const stop = text.charAt(at);
      if (stop === '"') break;
      if (stop !== "\\") throw syntax("the end of a string");
      read += readEscape();
    }
    at++;
    if (strict && !isWellFormed(read)) {
      throw new JsonRefusal("lone-surrogate", "a lone surrogate in a string", start);
    }
    return read;
  }

  function readEscape(): string {
    const letter = text.charAt(at + 1);
    if (letter === "u") {
      const digits = text.slice(at + 2, at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw syntax("four hexadecimal digits");
      at += 6;
      return String.fromCharCode(parseInt(digits, 16));
    }
    const plain = ESCAPES.get(letter);
    if (plain === undefined) throw syntax("an escape");
    at += 2;
    return plain;
  }

  function readNumber(): number {
    const start = at;
    const digits = match(NUMBER);
    if (digits === "") throw syntax("a value");
    const value = Number(digits);
    if (strict && !(INTEGER.test(digits) && Number.isSafeInteger(value))) {
      throw new JsonRefusal(
        "number",
        "found another number, expected whole numbers within 2^53-1",
        start,
      );
    }
    return value;
  }

  function readWord<T extends JsonValue>(word: string, value: T): T {
    if (!text.startsWith(word, at)) throw syntax("a value");
    at += word.length;
    return value;
  }

  function enter(depth: number): void {
    if (depth > maxDepth) {
      throw new JsonRefusal("too-deep", `more than ${maxDepth} levels`, at);
    }
    at++;
  }

  function leave<T>(value: T): T {
    at++;
    return value;
  }

  function skipSpace(): string {
    match(SPACE);
    return text.charAt(at);
  }

  function match(pattern: RegExp): string {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  }

  function syntax(expected: string): JsonRefusal {
    const found = at < text.length ? "other text" : "the end";
    return new JsonRefusal("syntax", `found ${found}, expected ${expected}`, at, expected);
  }
}

function checkKey(members: JsonObject, key: string, at: number): void {
  if (key === "__proto__") throw new JsonRefusal("forbidden-key", 'the key "__proto__"', at);
  if (own(members, key) === undefined) return;
  throw new JsonRefusal("duplicate-key", "found a key of the same object again", at);
}
