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
  if (text === null) return notUtf8(path);
  try {
    const value: unknown = JSON.parse(text);
    return ok(value);
  } catch {
    return notJson(path, text);
  }
}

/** The refusal of a file that is not text. */
export function notUtf8(path: string): Result<never, Failure<"not-json">> {
  return fail("not-json", `Cannot read "${path}": found bytes that are not UTF-8, expected JSON`);
}

/**
 * The refusal of a file whose text is not JSON: where it stops being JSON, and what was found and
 * expected there.
 *
 * @param from The place in the file of what follows the `skipped` characters.
 */
export function notJson(
  path: string,
  text: string,
  from = { line: 1, column: 1, skipped: 0 },
): Result<never, Failure<"not-json">> {
  const error = jsonErrorIn(text);
  const offset = error?.at ?? text.length;
  const lines = text.slice(from.skipped, offset).split("\n");
  const column = (lines.pop()?.length ?? 0) + (lines.length === 0 ? from.column : 1);
  const found = offset >= text.length
    ? "the end of the file"
    : JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0));
  const why = error?.code === "too-deep"
    ? error.message
    : `found ${found}, expected ${error?.expected ?? "JSON"}`;
  return fail(
    "not-json",
    `Cannot read "${path}": it is not JSON at line ${
      from.line + lines.length
    }, column ${column}: ${why}`,
    "Look for a missing or extra comma, quote or bracket there",
  );
}
