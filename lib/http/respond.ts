import { type Answer, problemAnswer, wholeJson } from "../agent/mod.ts";
import type { Problem } from "../core/problem.ts";
import type { PageFile } from "../project/mod.ts";

const COMMON = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** Headers of a response in addition to those of its body. */
export type ExtraHeaders = Readonly<Record<string, string>>;

/** Responds with a complete document of the service itself. */
export function documentResponse(value: object): Response {
  return new Response(wholeJson(value), { headers: documentHeaders() });
}

/** The headers of a JSON document of the service itself. */
export function documentHeaders(): ExtraHeaders {
  return { ...COMMON, "content-type": "application/json" };
}

/** Plain text. */
export function textResponse(text: string): Response {
  return new Response(text, {
    headers: { ...COMMON, "content-type": "text/plain; charset=utf-8" },
  });
}

/** Responds with a file, unchanged. */
export function fileResponse(
  { type, body, size }: PageFile,
  extra: ExtraHeaders = {},
): Response {
  const length: ExtraHeaders = size === undefined ? {} : { "content-length": `${size}` };
  return new Response(body, { headers: { ...COMMON, ...length, ...extra, "content-type": type } });
}

/** The answer of a tool: its payload, or a problem (RFC 9457). */
export function answerResponse(answer: Answer, extra: ExtraHeaders = {}): Response {
  const type = !answer.ok
    ? "application/problem+json"
    : answer.format === "json"
    ? "application/json"
    : "text/plain; charset=utf-8";
  return new Response(answer.text, {
    status: answer.ok ? 200 : answer.status,
    headers: { ...COMMON, ...extra, "content-type": type },
  });
}

/** A problem (RFC 9457), capped like any answer. */
export function problemResponse(why: Problem, cap: number, extra: ExtraHeaders = {}): Response {
  const challenge: ExtraHeaders = why.status === 401 ? { "www-authenticate": "Bearer" } : {};
  return answerResponse(problemAnswer(why, cap), { ...challenge, ...extra });
}

/**
 * Forbids pages of other origins to embed the answer (Fetch, Cross-Origin-Resource-Policy): they
 * load scripts and pictures without a preflight request and could infer their content.
 */
export function forThisOriginOnly(response: Response): Response {
  response.headers.set("cross-origin-resource-policy", "same-origin");
  return response;
}

/** Encodes text as a header value: percent-encodes all but printable ASCII, and `%` itself. */
export function headerText(text: string): string {
  return text.replace(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent);
}
