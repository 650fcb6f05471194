import { decodeUtf8 } from "./bytes.ts";
import { fail, type Failure, ok, type Result } from "./result.ts";

/**
 * Parses the JSON of a file that people edit by hand.
 *
 * @returns The value, or a sentence saying in which line and column it stops being JSON. Engines
 * word and place that differently, so the place is found here.
 */
export function parseJsonFile(
  path: string,
  bytes: Uint8Array,
): Result<unknown, Failure<"not-json">> {
  const text = decodeUtf8(bytes);
  if (text === null) {
    return fail("not-json", `Cannot read "${path}": found bytes that are not UTF-8, expected JSON`);
  }
  try {
    const value: unknown = JSON.parse(text);
    return ok(value);
  } catch {
    const offset = firstErrorIn(text);
    const { line, column } = lineAndColumn(text, offset);
    const found = offset >= text.length
      ? "the end of the file"
      : JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0));
    return fail(
      "not-json",
      `Cannot read "${path}": it is not JSON at line ${line}, column ${column}: found ${found}`,
      "Look for a missing or extra comma, quote or bracket there",
    );
  }
}

function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return {
    line: before.split("\n").length,
    column: offset - before.lastIndexOf("\n"), // lastIndexOf is -1 in the first line
  };
}

const SPACE = /[ \t\n\r]*/y;
const TOKEN =
  /[[\]{},:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The end of what `pattern` matches at `offset`, or -1. */
function endOf(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The offset after the string that begins at `offset`, or of what cannot stand in it. */
function endOfString(text: string, offset: number): { end: number; whole: boolean } {
  let at = offset + 1;
  while (at < text.length && text.charCodeAt(at) >= 0x20) {
    const unit = text.charAt(at);
    if (unit === '"') return { end: at + 1, whole: true };
    const next = unit === "\\" ? endOf(ESCAPE, text, at) : at + 1;
    if (next < 0) break;
    at = next;
  }
  return { end: at, whole: false };
}

/** What the grammar of JSON (RFC 8259) lets follow. */
type Expecting = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end" | "end";

/** The offset of the first token that cannot stand where it does. */
function firstErrorIn(text: string): number {
  const open: string[] = [];
  let expecting: Expecting = "value";
  let end = 0;
  for (;;) {
    const start = endOf(SPACE, text, end);
    const isString = text.charAt(start) === '"';
    const string = isString ? endOfString(text, start) : { end: 0, whole: true };
    end = isString ? string.end : endOf(TOKEN, text, start);
    if (end < 0) return start;
    const next = follow(expecting, isString ? "string" : text.slice(start, end), open);
    if (next === null) return start;
    if (!string.whole) return string.end;
    expecting = next;
  }
}

/** What may come after `token`, or `null` when it may not come itself. Keeps the stack of brackets. */
function follow(expecting: Expecting, token: string, open: string[]): Expecting | null {
  const closes = token === "}" ? "{" : token === "]" ? "[" : null;
  if (closes !== null) {
    const mayClose = expecting === "comma-or-end" || expecting === "value-or-end" ||
      expecting === "key-or-end";
    if (!mayClose || open.pop() !== closes) return null;
    return open.length === 0 ? "end" : "comma-or-end";
  }
  switch (expecting) {
    case "value":
    case "value-or-end":
      if (token === "," || token === ":") return null;
      if (token === "{" || token === "[") {
        open.push(token);
        return token === "{" ? "key-or-end" : "value-or-end";
      }
      return open.length === 0 ? "end" : "comma-or-end";
    case "key":
    case "key-or-end":
      return token === "string" ? "colon" : null;
    case "colon":
      return token === ":" ? "value" : null;
    case "comma-or-end":
      if (token !== ",") return null;
      return open.at(-1) === "{" ? "key" : "value";
    case "end":
      return null;
  }
}
