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

/** Orders strings by UTF-16 code units, as RFC 8785 §3.2.3 and every listing of ours does. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The member `key` of a record that was keyed by outside text. What every object inherits
 * (`constructor`, `toString`) is not a member.
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
