import { type DownloadEnd, downloadEnd, type DownloadSubject, SET_MIRROR } from "./failure.ts";
import { withoutSecrets } from "../../core/proxy.ts";

// What the beginning of an answer says: which bytes follow, or why none do.

/** How an answer goes on. */
export type Verdict =
  /** The file from its beginning. */
  | { readonly kind: "whole"; readonly total: number | null }
  /** The rest of it. */
  | { readonly kind: "rest"; readonly total: number | null }
  /** Nothing is left to send. */
  | { readonly kind: "complete" }
  /** The rest cannot be had this way: ask for the whole. */
  | { readonly kind: "restart"; readonly reason: string }
  /** Ask again, not before `afterMs`. */
  | { readonly kind: "again"; readonly end: DownloadEnd; readonly afterMs: number }
  /** Asking again would not help. */
  | { readonly kind: "refused"; readonly end: DownloadEnd };

/** What was asked for. */
export interface Question {
  readonly subject: DownloadSubject;
  /** Bytes that are there already: the range began after them. 0 for no range. */
  readonly from: number;
  /** What those bytes were tagged with, if anything. */
  readonly validator: string | null;
  /** Milliseconds since the epoch, to read dates in `Retry-After` by. */
  readonly now: number;
}

/** Reads status and headers of an answer. */
export function readAnswer({ status, headers }: Response, question: Question): Verdict {
  const { subject, from, validator } = question;
  if (status === 206 && from > 0) {
    const range = contentRange(headers);
    if (encodingOf(headers) !== null) return restart("the server compressed a part of it");
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
    return unsatisfied(headers) === from
      ? { kind: "complete" }
      : restart("the server knows no such range of it");
  }
  if (status === 200) return wholeOf(headers, subject);
  const statusEnd = downloadEnd(subject, status === 407 ? "proxy" : "http-status", {
    found: `it answered ${status}, expected 200`,
    next: adviceFor(status),
  });
  const passes = status === 408 || status === 425 || status === 429 || status >= 500;
  return passes
    ? { kind: "again", end: statusEnd, afterMs: retryAfterMs(headers, question.now) }
    : { kind: "refused", end: statusEnd };
}

/** The strong tag of an answer, else its date: what `If-Range` may hold (RFC 9110 §13.1.5). */
export function validatorOf(headers: Headers): string | null {
  const tag = headers.get("etag");
  if (tag !== null && /^"[^"]*"$/.test(tag)) return tag;
  return tag === null ? headers.get("last-modified") : null;
}

/**
 * How an answer is said to be compressed, or `null`. It comes as it is sent: of a server that takes
 * archives for a coding it is the file, of one that compresses everything it is not.
 */
export function encodingOf(headers: Headers): string | null {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  return encoding === "" || encoding === "identity" ? null : encoding;
}

function wholeOf(headers: Headers, subject: DownloadSubject): Verdict {
  const isPage = /^(?:text\/html|application\/xhtml)/i.test(headers.get("content-type") ?? "");
  if (isPage && !/\.x?html?$/i.test(withoutSecrets(subject.url))) {
    return {
      kind: "refused",
      end: downloadEnd(subject, "hash", {
        found: "it answered with a web page, expected the file",
        next: "Sign in to the network or the proxy (open the address in a browser) and try again",
      }),
    };
  }
  const length = headers.get("content-length") ?? "";
  return { kind: "whole", total: /^\d+$/.test(length) ? Number(length) : null };
}

function restart(reason: string): Verdict {
  return { kind: "restart", reason };
}

function adviceFor(status: number): string {
  if (status === 407) return "Put user name and password into HTTPS_PROXY";
  if (status === 401 || status === 403) {
    return `Check that this network may reach the address, or ${SET_MIRROR} that it may reach`;
  }
  if (status === 404 || status === 410) {
    return `The file is gone: ${SET_MIRROR} that has it, or use a newer version of this editor`;
  }
  return `Try again later, or ${SET_MIRROR}`;
}

function contentRange(headers: Headers): { first: number; total: number | null } | null {
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/
    .exec(headers.get("content-range")?.trim() ?? "") ?? [];
  if (first === undefined) return null;
  return { first: Number(first), total: total === "*" ? null : Number(total) };
}

function unsatisfied(headers: Headers): number | null {
  const [, total] = /^bytes \*\/(\d+)$/.exec(headers.get("content-range")?.trim() ?? "") ?? [];
  return total === undefined ? null : Number(total);
}

/** `Retry-After`, seconds or a date; 0 for none (RFC 9110 §10.2.3). */
function retryAfterMs(headers: Headers, now: number): number {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
