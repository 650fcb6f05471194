/** Any JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. Members are `undefined` only when absent. */
export interface JsonObject {
  /** A member. */
  readonly [key: string]: JsonValue | undefined;
}

/** Whether `value` is a plain object: not null, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Levels that {@linkcode isJsonValue} checks: no hand-written value is deeper. */
const MAX_JSON_DEPTH = 64;

/** Whether `value` is JSON through and through, at most 64 levels deep. */
export function isJsonValue(value: unknown): value is JsonValue {
  return isJsonWithin(value, MAX_JSON_DEPTH);
}

/** Whether `value` is a JSON object through and through, at most 64 levels deep. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value) && isJsonValue(value);
}

function isJsonWithin(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      return value === null ||
        depth > 0 && Object.values(value).every((member) => isJsonWithin(member, depth - 1));
    default:
      return false;
  }
}

/** Orders strings by UTF-16 code units, as RFC 8785 §3.2.3 and every listing of ours does. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Returns the member `key` of a record whose keys come from outside. Inherited names
 * (`constructor`, `toString`) are not members.
 */
export function own<T>(
  record: Readonly<Record<string, T>> | undefined,
  key: string,
): T | undefined {
  // `Object.hasOwn` is newer than the oldest web view in use.
  return record !== undefined && Object.prototype.hasOwnProperty.call(record, key)
    ? record[key]
    : undefined;
}
