import { type DownloadEnd, downloadEnd, type DownloadSubject, SET_MIRROR } from "./failure.ts";
import { type RangeQuestion, type RangeVerdict, readRange } from "../../core/ranges.ts";
import { urlWithoutSecrets } from "../../core/secrets.ts";

// Judges the head of a response: which bytes follow, or why none do.

/** Verdict on an answer: {@linkcode RangeVerdict}, with the message for an answer without the file. */
export type Verdict =
  | Exclude<RangeVerdict, { readonly kind: "again" | "refused" }>
  | (Extract<RangeVerdict, { readonly kind: "again" }> & { readonly end: DownloadEnd })
  | (Extract<RangeVerdict, { readonly kind: "refused" }> & { readonly end: DownloadEnd });

/** Reads status and headers of an answer. */
export function readAnswer(
  response: Pick<Response, "status" | "headers">,
  { subject, ...question }: RangeQuestion & { readonly subject: DownloadSubject },
): Verdict {
  const { status, headers } = response;
  const verdict = readRange(response, question);
  switch (verdict.kind) {
    case "again":
    case "refused": {
      const end = downloadEnd(subject, status === 407 ? "proxy" : "http-status", {
        found: `it answered ${status}, expected 200`,
        next: adviceFor(status),
      });
      return { ...verdict, end };
    }
    case "whole":
      return isPage(headers, subject) ? { kind: "refused", end: pageEnd(subject) } : verdict;
    default:
      return verdict;
  }
}

/** Whether a server or network sends a page of its own in place of the file. */
function isPage(headers: Headers, { url }: DownloadSubject): boolean {
  return /^(?:text\/html|application\/xhtml)/i.test(headers.get("content-type") ?? "") &&
    !/\.x?html?$/i.test(urlWithoutSecrets(url));
}

function pageEnd(subject: DownloadSubject): DownloadEnd {
  return downloadEnd(subject, "hash", {
    found: "it answered with a web page, expected the file",
    next: "Sign in to the network or the proxy (open the address in a browser) and try again",
  });
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
