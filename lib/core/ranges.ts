import { mayPass, retryAfterMs } from "./retry.ts";

// A file that is fetched in pieces (RFC 9110 §14): what is asked for, and what an answer holds of it.
// That the pieces belong together is shown by the hash of the whole alone.

/** The headers of an answer. */
type AnswerHeaders = Pick<Headers, "get">;

/** Meaning of a response's status and headers for the bytes that follow. */
export type RangeVerdict =
  /** The file from its beginning. */
  | { readonly kind: "whole"; readonly total: number | null }
  /** The bytes that were asked for, to the end of the file. */
  | { readonly kind: "rest"; readonly total: number | null }
  /** Nothing is left to send. */
  | { readonly kind: "complete" }
  /** The rest cannot be had this way: ask for the whole. */
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
  /** Milliseconds since the epoch, where a clock can be believed. */
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
  return mayPass(status)
    ? { kind: "again", afterMs: retryAfterMs(headers, now) }
    : { kind: "refused" };
}

/** The strong tag of an answer, else its date: what `If-Range` may hold (RFC 9110 §13.1.5). */
export function validatorOf(headers: AnswerHeaders): string | null {
  const tag = headers.get("etag");
  if (tag !== null && /^"[^"]*"$/.test(tag)) return tag;
  return tag === null ? headers.get("last-modified") : null;
}

/** How many bytes an answer says that it has; `null` where it says none, or what is no number. */
export function lengthOf(headers: AnswerHeaders): number | null {
  const length = headers.get("content-length") ?? "";
  return /^\d+$/.test(length) ? Number(length) : null;
}

/** How an answer is said to be compressed, or `null`. */
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
