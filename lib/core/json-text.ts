import { decodeUtf8 } from "./bytes.ts";
import { jsonErrorIn } from "./json-grammar.ts";
import { fail, type Failure, ok, type Result } from "./result.ts";

/**
 * Parses a JSON text or its UTF-8 bytes, whatever the value; `undefined` for an invalid text, and
 * for an argument of `null`.
 */
export function parseJson(text: string | Uint8Array | null): unknown {
  try {
    const plain = text instanceof Uint8Array ? decodeUtf8(text) : text;
    const value: unknown = plain === null ? undefined : JSON.parse(plain);
    return value;
  } catch {
    return undefined; // the parser's own words would repeat parts of the text, which may be secret
  }
}

/**
 * Parses the JSON of a file that people edit by hand.
 *
 * @returns The value, or a sentence with the line and column at which it stops being JSON. Engines
 * report that differently, so this function finds the place itself.
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
    return fail(
      "not-json",
      `Cannot read "${path}": it is not JSON at ${placeOfError(text)}`,
      "Look for a missing or extra comma, quote or bracket there",
    );
  }
}

function placeOfError(text: string): string {
  const error = jsonErrorIn(text);
  const offset = error?.at ?? text.length;
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n"); // lastIndexOf is -1 in the first line
  const place = `line ${line}, column ${column}`;
  if (error?.code === "too-deep") return `${place}: ${error.message}`;
  const found = offset >= text.length
    ? "the end of the file"
    : JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0));
  return `${place}: found ${found}, expected ${error?.expected ?? "JSON"}`;
}
