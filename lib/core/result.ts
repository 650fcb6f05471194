/** A success carrying its value. */
export interface Ok<T> {
  /** Discriminates a success from a failure. */
  readonly ok: true;
  /** Result of the operation. */
  readonly value: T;
}

/** An expected failure with its description. */
export interface Err<E> {
  /** Discriminates a failure from a success. */
  readonly ok: false;
  /** Reason of the failure. */
  readonly error: E;
}

/** Outcome of a fallible operation: expected failures are values, throwing means a bug. */
export type Result<T, E> = Ok<T> | Err<E>;

/**
 * An expected failure in words. `code` is closed per operation; `message` says what was done, what
 * was found and what was expected; `next` says what to do about it.
 */
export interface Failure<Code extends string = string> {
  /** The kind of failure, for programs. */
  readonly code: Code;
  /** Action, finding and expectation, for people. */
  readonly message: string;
  /** Next step for the reader. */
  readonly next?: string;
}

/** Wraps a value as a success. */
export function ok<T>(value: T): Ok<T> {
  return { ok: true, value };
}

/** Wraps an error as an expected failure. */
export function err<E>(error: E): Err<E> {
  return { ok: false, error };
}

/** Builds a {@linkcode Failure} and wraps it; omits an undefined `next`. */
export function fail<Code extends string>(
  code: Code,
  message: string,
  next?: string,
): Err<Failure<Code>> {
  return err(next === undefined ? { code, message } : { code, message, next });
}

/** Closes a switch over a union: a forgotten case no longer compiles. */
export function unreachable(value: never): never {
  throw new TypeError(`Unreachable case: ${String(value)}`);
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  try {
    return String(thrown);
  } catch {
    return "something that has no text"; // an object without a working toString()
  }
}
