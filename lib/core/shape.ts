import { escapeInvisible } from "./invisible.ts";
import { isRecord } from "./json.ts";
import { nearestNames } from "./nearest.ts";

/** Complaints about one file that are listed; the others are counted. */
const SPELLED_OUT = 20;

/**
 * Problems of one file's content, one sentence each: place, finding, expectation.
 */
export class Complaints {
  readonly #sentences: string[] = [];
  #total = 0;

  /** The number of complaints, listed or not. */
  get total(): number {
    return this.#total;
  }

  /** Adds a sentence about `where`, a path like `entities[12].traits.Transform.x`. */
  add(where: string, sentence: string): void {
    this.#total++;
    if (this.#sentences.length < SPELLED_OUT) {
      this.#sentences.push(where === "" ? sentence : `${where}: ${sentence}`);
    }
  }

  /** Adds a sentence about a wrong value: what was found, and what was expected. */
  expected(where: string, found: unknown, expected: string): void {
    this.add(where, `found ${show(found)}, expected ${expected}`);
  }

  /** The first 20 sentences, and how many more there are. */
  sentences(): readonly string[] {
    const more = this.#total - this.#sentences.length;
    return more === 0 ? this.#sentences : [...this.#sentences, `and ${more} more`];
  }

  /** `value` as a record that has no members but `known`; complains and answers `null` otherwise. */
  record(
    where: string,
    value: unknown,
    known: readonly string[],
  ): Record<string, unknown> | null {
    if (!isRecord(value)) {
      this.expected(where, value, "an object");
      return null;
    }
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) this.add(join(where, name), unknownName("member", name, known));
    }
    return value;
  }

  /** `value` as text of at most `maxLength` characters that is not blank; `null` otherwise. */
  words(where: string, value: unknown, maxLength: number): string | null {
    if (typeof value === "string" && value.trim() !== "" && value.length <= maxLength) return value;
    this.expected(where, value, `text of 1 to ${maxLength} characters`);
    return null;
  }
}

/** Returns the path of a member. */
export function join(where: string, name: string): string {
  const plain = /^[A-Za-z_$][\w$-]*$/.test(name);
  if (!plain) return `${where}[${show(name)}]`;
  return where === "" ? name : `${where}.${name}`;
}

/** Complains about a name, with the nearest known ones, or all if there are few. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const near = nearestNames(name, known);
  const advice = near.length > 0
    ? `did you mean ${near.map((other) => `"${other}"`).join(" or ")}?`
    : known.length > 0 && known.length <= 12
    ? `expected ${known.map((other) => `"${other}"`).join(", ")}`
    : known.length === 0
    ? "expected none"
    : "expected a known one";
  return `unknown ${what} ${show(name)}; ${advice}`;
}

/** A found value in few words. */
export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isRecord(value)) return "an object";
  const written = typeof value === "string"
    ? escapeInvisible(JSON.stringify(value))
    : String(value);
  return written.length <= 80 ? written : `${written.slice(0, 79)}…`;
}
