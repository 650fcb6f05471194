import { concatBytes, encodeUtf8 } from "../../core/bytes.ts";
import { runAtOnce, type Work } from "../../core/cooperative.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";

/** Maximum characters of a line with more than one value. */
const MAX_LINE = 100;

/**
 * Returns the text of an authored asset: indented by two spaces, one member per line. Lists of
 * numbers, and records in a list, stay on one line if they fit, so that an animation key is one
 * line.
 */
export function assetText(content: JsonObject): string {
  const text = new Text(Infinity);
  runAtOnce(write(content, text));
  return text.pieces().join("");
}

/**
 * The bytes of {@linkcode assetText}, as work that can be interrupted.
 *
 * @param maxLength In UTF-16 units, inclusive. @returns `null` when the text is longer.
 */
export function* assetBytes(
  content: JsonObject,
  maxLength: number,
): Work<Uint8Array<ArrayBuffer> | null> {
  const text = new Text(maxLength);
  yield* write(content, text);
  if (text.left < 0) return null;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const piece of text.pieces()) {
    parts.push(encodeUtf8(piece));
    yield;
  }
  return concatBytes(parts);
}

/** Values that are written before others get their turn. */
const VALUES_AT_ONCE = 512;
/** Maximum length of a piece of the text, in UTF-16 units. */
const PIECE_LENGTH = 256 * 1024;

/** A text that grows, in pieces. */
class Text {
  /**
   * Remaining length, in UTF-16 units; negative once the text is too long, and the rest is dropped.
   */
  left: number;
  /** Values in it. */
  values = 0;
  readonly #pieces: string[] = [];
  #last = "";

  constructor(maxLength: number) {
    this.left = maxLength;
  }

  add(text: string): void {
    this.left -= text.length;
    if (this.left < 0) return;
    this.#last += text;
    if (this.#last.length < PIECE_LENGTH) return;
    this.#pieces.push(this.#last);
    this.#last = "";
  }

  pieces(): readonly string[] {
    return [...this.#pieces, this.#last];
  }
}

function* write(content: JsonObject, text: Text): Work<void> {
  const short = onOneLine(content, false);
  if (short === null) yield* writeLines(content, text, "");
  else text.add(short);
  text.add("\n");
}

/** An object or a list. */
type Group = readonly JsonValue[] | JsonObject;

function* writeLines(group: Group, text: Text, indent: string): Work<void> {
  const inner = `${indent}  `;
  const names = isList(group) ? null : Object.keys(group);
  const values = isList(group) ? group : Object.values(group);
  let separator = names === null ? "[\n" : "{\n";
  for (let at = 0; at < values.length && text.left >= 0; at++) {
    const value = values[at];
    if (value === undefined) continue;
    if (++text.values % VALUES_AT_ONCE === 0) yield;
    text.add(
      names === null ? separator + inner : `${separator}${inner}${JSON.stringify(names[at])}: `,
    );
    separator = ",\n";
    const short = isScalar(value) ? JSON.stringify(value) : onOneLine(value, names === null);
    if (short !== null) text.add(short);
    else if (!isScalar(value)) yield* writeLines(value, text, inner);
  }
  text.add(`\n${indent}${names === null ? "]" : "}"}`);
}

/**
 * Returns a group that is written on one line (a list of numbers, a record in a list, an empty
 * group); otherwise `null`.
 */
function onOneLine(group: Group, inList: boolean): string | null {
  if (isList(group)) {
    if (group.length === 0) return "[]";
    // A longer list cannot fit, because each item takes at least two characters.
    if (group.length > MAX_LINE || !group.every(isScalar) || group.some(isText)) return null;
    const flat = JSON.stringify(group).replaceAll(",", ", ");
    return flat.length <= MAX_LINE ? flat : null;
  }
  const members = Object.entries(group).filter(([, member]) => member !== undefined);
  if (members.length === 0) return "{}";
  if (!inList || !members.every(([, member]) => isScalar(member))) return null;
  const flat = members.map(([name, member]) =>
    `${JSON.stringify(name)}: ${JSON.stringify(member)}`
  );
  const line = `{ ${flat.join(", ")} }`;
  return line.length <= MAX_LINE ? line : null;
}

function isScalar(value: JsonValue | undefined): value is string | number | boolean | null {
  return value !== undefined && (typeof value !== "object" || value === null);
}

function isText(value: JsonValue): boolean {
  return typeof value === "string";
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
