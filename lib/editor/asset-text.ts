import type { JsonObject, JsonValue } from "../core/json.ts";

/** How long a line with more than one value may be. */
const MAX_LINE = 100;

/**
 * The text of an authored asset: two spaces of indent, one member a line; lists of numbers, and
 * records in a list, stay on one line where they fit, so that a key of an animation is one line.
 */
export function assetText(content: JsonObject): string {
  return `${written(content, "", false)}\n`;
}

function written(value: JsonValue, indent: string, inList: boolean): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (isList(value)) {
    if (value.length === 0) return "[]";
    const flat = value.every(isScalar) ? JSON.stringify(value).replaceAll(",", ", ") : "";
    if (flat !== "" && flat.length <= MAX_LINE && !value.some(isText)) return flat;
    return `[\n${
      value.map((item) => `${inner}${written(item, inner, true)}`).join(",\n")
    }\n${indent}]`;
  }
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [[name, member] as const]
  );
  if (members.length === 0) return "{}";
  if (inList && members.every(([, member]) => isScalar(member))) {
    const flat = members.map(([name, member]) =>
      `${JSON.stringify(name)}: ${JSON.stringify(member)}`
    );
    const line = `{ ${flat.join(", ")} }`;
    if (line.length <= MAX_LINE) return line;
  }
  return `{\n${
    members.map(([name, member]) =>
      `${inner}${JSON.stringify(name)}: ${written(member, inner, false)}`
    ).join(",\n")
  }\n${indent}}`;
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== "object" || value === null;
}

function isText(value: JsonValue): boolean {
  return typeof value === "string";
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
