import type { JsonValue } from "../core/json.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";

/**
 * Decides whether a reader that knows the members `known` may use a record (REL-7). It ignores
 * unknown members, unless the record's `critical` lists one: then ignoring it would be wrong.
 *
 * @param critical The record's member of that name; absent lists nothing.
 * @returns `unsupported`, also for a `critical` that is not a list of names.
 */
export function checkCritical(
  critical: unknown,
  known: readonly string[],
): Result<null, Failure<"unsupported">> {
  if (critical === undefined) return ok(null);
  const names: readonly unknown[] = Array.isArray(critical) ? critical : [critical];
  const unknown = names.find((name) => typeof name !== "string" || !known.includes(name));
  if (Array.isArray(critical) && unknown === undefined) return ok(null);
  const found = JSON.stringify(unknown === undefined ? critical : unknown).slice(0, 80);
  return fail(
    "unsupported",
    `Cannot use the record: critical names ${found}, expected one of ${known.join(", ")}`,
    "Update the app: a newer publisher wrote the record",
  );
}

/** Lists the members of a record that this version neither knows nor carries over (PUB-20). */
export function unknownMembers(
  record: Readonly<Record<string, JsonValue | undefined>>,
  known: readonly string[],
): readonly string[] {
  return Object.keys(record).filter((name) => !known.includes(name) && !name.startsWith("x-"));
}
