import { isTransient, retryAfterMs } from "./retry.ts";

// A file that is fetched in pieces (RFC 9110 §14): the request, and the content of an answer. Only
// the hash of the complete file proves that the pieces belong together.

/** The headers of an answer. */
type AnswerHeaders = Pick<Headers, "get">;

/** Meaning of a response's status and headers for the bytes that follow. */
export type RangeVerdict =
  /** The file from its beginning. */
  | { readonly kind: "whole"; readonly total: number | null }
  /** The requested bytes, to the end of the file. */
  | { readonly kind: "rest"; readonly total: number | null }
  /** No bytes are left to send. */
  | { readonly kind: "complete" }
  /** The rest is unavailable in this way: request the complete file. */
  | { readonly kind: "restart"; readonly reason: string }
  /** Ask again, not before `afterMs`. */
  | { readonly kind: "again"; readonly afterMs: number }
  /** Asking again would not help. */
  | { readonly kind: "refused" };

/** A request for the rest of a file. */
export interface RangeQuestion {
  /** Bytes that are there already: the range began after them. 0 for no range. */
  readonly from: number;
  /** Validator of those bytes; `null` matches any tag. */
  readonly validator: string | null;
  /** Milliseconds since the epoch, if a clock can be trusted. */
  readonly now?: number;
}

/**
 * The headers that ask for a file's bytes after the first `from`. Offsets and sizes are of the file
 * itself, not of a compressed form that a server may make of it.
 */
export function rangeHeaders(from: number, validator: string | null): Record<string, string> {
  const plain = { "accept-encoding": "identity" };
  if (from === 0) return plain;
  const range = { ...plain, range: `bytes=${from}-` };
  return validator === null ? range : { ...range, "if-range": validator };
}

/** Reads status and headers of an answer to {@linkcode rangeHeaders}. */
export function readRange(
  { status, headers }: { readonly status: number; readonly headers: AnswerHeaders },
  { from, validator, now }: RangeQuestion,
): RangeVerdict {
  if (status === 206 && from > 0) {
    const range = contentRange(headers);
    if (codingOf(headers) !== null) return restart("the server compressed a part of it");
    if (range === null || range.first !== from) {
      return restart(`the server answered with other bytes than those from ${from} on`);
    }
    const found = validatorOf(headers);
    if (validator !== null && found !== null && found !== validator) {
      return restart("the file has changed on the server");
    }
    return { kind: "rest", total: range.total };
  }
  if (status === 416 && from > 0) {
    return unsatisfiedOf(headers) === from
      ? { kind: "complete" }
      : restart("the server does not have that range");
  }
  if (status === 200) return { kind: "whole", total: lengthOf(headers) };
  return isTransient(status)
    ? { kind: "again", afterMs: retryAfterMs(headers, now) }
    : { kind: "refused" };
}

/**
 * Returns the strong tag of an answer, else its date: the allowed values of `If-Range` (RFC 9110
 * §13.1.5).
 */
export function validatorOf(headers: AnswerHeaders): string | null {
  const tag = headers.get("etag");
  if (tag !== null && /^"[^"]*"$/.test(tag)) return tag;
  return tag === null ? headers.get("last-modified") : null;
}

/** Returns the length that an answer states; `null` if it states none, or no number. */
export function lengthOf(headers: AnswerHeaders): number | null {
  const length = headers.get("content-length") ?? "";
  return /^\d+$/.test(length) ? Number(length) : null;
}

/** Returns the stated coding of an answer, or `null`. */
export function codingOf(headers: AnswerHeaders): string | null {
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  return coding === "" || coding === "identity" ? null : coding;
}

function restart(reason: string): RangeVerdict {
  return { kind: "restart", reason };
}

function contentRange(headers: AnswerHeaders): { first: number; total: number | null } | null {
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/
    .exec(headers.get("content-range")?.trim() ?? "") ?? [];
  if (first === undefined) return null;
  return { first: Number(first), total: total === "*" ? null : Number(total) };
}

function unsatisfiedOf(headers: AnswerHeaders): number | null {
  const [, total] = /^bytes \*\/(\d+)$/.exec(headers.get("content-range")?.trim() ?? "") ?? [];
  return total === undefined ? null : Number(total);
}
