import { runAtOnce, type Work } from "../core/cooperative.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";

/** How long a line with more than one value may be. */
const MAX_LINE = 100;

/**
 * The text of an authored asset: two spaces of indent, one member a line; lists of numbers, and
 * records in a list, stay on one line where they fit, so that a key of an animation is one line.
 */
export function assetText(content: JsonObject): string {
  return runAtOnce(assetTextWork(content)) ?? "";
}

/**
 * {@linkcode assetText} as work that can be interrupted.
 *
 * @param maxLength In UTF-16 units, inclusive. @returns `null` when it is longer.
 */
export function* assetTextWork(
  content: JsonObject,
  maxLength = Infinity,
): Work<string | null> {
  const writer: Writer = { values: 0, left: maxLength - 1 };
  const text = onOneLine(content, false) ?? (yield* onLines(content, { writer, indent: "" }));
  return writer.left < 0 ? null : `${text}\n`;
}

/** Values that are written before others get their turn. */
const VALUES_AT_ONCE = 512;

interface Writer {
  /** Written up to now. */
  values: number;
  /** What the text may still have, in UTF-16 units. */
  left: number;
}

/** An object or a list. */
type Group = readonly JsonValue[] | JsonObject;

function* onLines(
  group: Group,
  { writer, indent }: { readonly writer: Writer; readonly indent: string },
): Work<string> {
  const inner = `${indent}  `;
  const names = isList(group) ? null : Object.keys(group);
  const values = isList(group) ? group : Object.values(group);
  let text = "";
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (value === undefined) continue;
    if (++writer.values % VALUES_AT_ONCE === 0) yield;
    const start = names === null ? inner : `${inner}${JSON.stringify(names[at])}: `;
    const short = isScalar(value) ? JSON.stringify(value) : onOneLine(value, names === null);
    writer.left -= start.length + (short?.length ?? 2) + 2; // and a comma and the end of the line
    if (writer.left < 0) return ""; // nobody will read it
    text += text === "" ? start : `,\n${start}`;
    text += short ?? (isScalar(value) ? "" : yield* onLines(value, { writer, indent: inner }));
  }
  const [open, close] = names === null ? "[]" : "{}";
  return `${open}\n${text}\n${indent}${close}`;
}

/** What stands on one line: lists of numbers, records in a list, and what is empty. */
function onOneLine(group: Group, inList: boolean): string | null {
  if (isList(group)) {
    if (group.length === 0) return "[]";
    // No longer list fits: each item takes two characters and more.
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
