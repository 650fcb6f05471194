import { isRecord, type JsonObject, type JsonValue } from "../../lib/core/json.ts";
import type { Random } from "./random.ts";

// Values and texts that differ slightly from the originals.

/** Picks one of several. */
export function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[random.below(values.length)];
  if (value === undefined) throw new Error("Nothing to pick from");
  return value;
}

/** Whether something happens that does so often: 0 to 1. */
export function chance(random: Random, of: number): boolean {
  return random.next() < of;
}

/** Draws a value of any kind, to put in a wrong place. */
export function anything(random: Random): JsonValue {
  return pick<JsonValue>(random, [
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    1e21,
    2 ** 53,
    2 ** 53 - 1,
    -(2 ** 63),
    "",
    "v1",
    "corrupt",
    "é\u{1f600}",
    "1",
    [],
    {},
    [[]],
    { shell: "v1" },
    { shell: 1 },
    "x".repeat(600),
  ]);
}

/** Changes one place of a value. */
export function damaged(random: Random, value: JsonValue): JsonValue {
  if (chance(random, 0.2)) return anything(random);
  if (Array.isArray(value)) {
    const at = random.below(value.length + 1);
    if (at === value.length) return [...value, anything(random)];
    return value.map((item: JsonValue, i) => i === at ? damaged(random, item) : item);
  }
  if (!isRecord(value)) return typeof value === "string" ? torn(random, value) : anything(random);
  const members = Object.entries(value as JsonObject) as [string, JsonValue][];
  const at = random.below(members.length + 1);
  const [name = "added", member] = members[at] ?? [];
  const rest = members.filter(([other]) => other !== name);
  if (member === undefined) return Object.fromEntries([...rest, [name, anything(random)]]);
  if (chance(random, 0.2)) return Object.fromEntries(rest);
  if (chance(random, 0.2)) return Object.fromEntries([...rest, [torn(random, name), member]]);
  return Object.fromEntries([...rest, [name, damaged(random, member)]]);
}

/** Pieces that are inserted into texts. */
export const BITS: readonly string[] = [
  ...'{}[]",:\\/.%-+eE0189 \t\n~ASv',
  "null",
  "true",
  "\\u0041",
  "\\ud83d\\ude00",
  "\\ud83d",
]
  .concat([
    "é",
    "e\u0301",
    "\u{1f600}",
    "\u0000",
    "\u007f",
    "\u0085",
    "\u2028",
    "\ufeff",
    "İ",
    "ß",
  ]);

/** Adds, removes or moves a few letters of a text. */
export function torn(random: Random, text: string): string {
  const letters = [...text];
  for (let change = random.below(3); change >= 0; change--) {
    const at = random.below(letters.length + 1);
    letters.splice(at, random.below(3), ...(chance(random, 0.7) ? [pick(random, BITS)] : []));
  }
  return letters.join("");
}

/** Changes a text that holds JSON, as text or in its values. */
export function otherJson(random: Random, text: string): string {
  if (chance(random, 0.3)) return torn(random, text);
  try {
    return JSON.stringify(damaged(random, JSON.parse(text)));
  } catch {
    return torn(random, text);
  }
}
