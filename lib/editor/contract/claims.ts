import { isRecord } from "../../core/json.ts";
import type { Problem, ProblemStatus } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import { show } from "../../core/shape.ts";

const STATUSES: readonly ProblemStatus[] = [400, 401, 403, 404, 409, 413, 422, 500, 503];

/** A refusal that the port names. */
export interface Refusal {
  readonly status?: ProblemStatus;
  readonly code?: string;
}

/** Collects which promises are broken, one sentence each. */
export class Claims {
  readonly broken: string[] = [];

  /** Records `where` as broken unless `holds`. @param expected The port's promise. */
  expect(holds: boolean, where: string, found: unknown, expected: string): void {
    if (!holds) this.broken.push(`${where}: found ${show(found)}, expected ${expected}`);
  }

  /** Records the first difference between two values; the order of members is ignored. */
  same(where: string, found: unknown, expected: unknown): void {
    const at = difference(found, expected, where);
    if (at !== null) this.broken.push(at);
  }

  /** Returns the value of an expected success; records a refusal and returns `null`. */
  done<T>(where: string, result: Result<T, Problem>): T | null {
    if (result.ok) return result.value;
    this.expect(false, where, `${result.error.code}: ${result.error.detail}`, "success");
    return null;
  }

  /** Notes a result that is not a refusal, or one without a status, a code, a sentence and a next step. */
  refused(where: string, result: Result<unknown, Problem>, expectedRefusal: Refusal = {}): void {
    if (result.ok) {
      const what = expectedRefusal.code === undefined
        ? "a Problem"
        : `${expectedRefusal.status} ${expectedRefusal.code}`;
      return this.expect(false, where, "success", what);
    }
    const { status, code, detail, hint } = result.error;
    this.expect(STATUSES.includes(status), `${where}: status`, status, "a status of Problem");
    for (const [name, text] of Object.entries({ code, detail, hint })) {
      this.expect(typeof text === "string" && text !== "", `${where}: ${name}`, text, "a text");
    }
    if (expectedRefusal.status !== undefined) {
      this.same(`${where}: status`, status, expectedRefusal.status);
    }
    if (expectedRefusal.code !== undefined) this.same(`${where}: code`, code, expectedRefusal.code);
  }

  /** Notes two neighbours that are not in order. @param inOrder Whether `b` may follow on `a`. */
  ordered<T>(where: string, list: readonly T[], inOrder: (a: T, b: T) => boolean): void {
    const at = list.findIndex((item, index) => {
      const before = list[index - 1];
      return index > 0 && before !== undefined && !inOrder(before, item);
    });
    this.expect(at < 0, `${where}[${at}]`, list[at], "a place in the order that the port names");
  }

  /** Records a value that occurs twice in the list. */
  unique(where: string, list: readonly unknown[]): void {
    const seen = new Set<unknown>();
    for (const [index, value] of list.entries()) {
      this.expect(!seen.has(value), `${where}[${index}]`, value, "a value that no other has");
      seen.add(value);
    }
  }
}

/** Returns the first difference as a sentence; `null` if there is none. */
function difference(found: unknown, expected: unknown, where: string): string | null {
  if (Object.is(found, expected)) return null;
  if (found instanceof Map && expected instanceof Map) {
    return difference([...found], [...expected], where);
  }
  if (Array.isArray(found) && Array.isArray(expected) && found.length !== expected.length) {
    return `${where}: found ${found.length} items, expected ${expected.length}`;
  }
  if (!isGroup(found) || !isGroup(expected) || Array.isArray(found) !== Array.isArray(expected)) {
    return `${where}: found ${show(found)}, expected ${show(expected)}`;
  }
  for (const name of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const inner = Array.isArray(found) ? `${where}[${name}]` : `${where}.${name}`;
    const at = difference(Reflect.get(found, name), Reflect.get(expected, name), inner);
    if (at !== null) return at;
  }
  return null;
}

function isGroup(value: unknown): value is object {
  return Array.isArray(value) || isRecord(value);
}
