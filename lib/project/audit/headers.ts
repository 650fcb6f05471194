import { type ContentRef, RELEASE_PATH } from "../../ota-format/mod.ts";
import { crossOriginRefusal, type PublicAnswer, servedDiffers } from "../served/mod.ts";
import type { Findings } from "./findings.ts";

/** Looks at the headers of a good answer: caching, cross-origin reading, encoding, redirects. */
export function checkHeaders(
  findings: Findings,
  path: string,
  asked: string,
  { ref, ...answer }: PublicAnswer & { readonly ref?: ContentRef },
): void {
  const { headers, url } = answer;
  const refusal = crossOriginRefusal(headers);
  if (refusal !== null) {
    findings.add("error", "cross-origin", path, `${refusal}: a web view may not read it`);
  }
  checkCaching(findings, path, headers.get("cache-control"));
  const encoding = headers.get("content-encoding");
  const differs = ref === undefined ? null : servedDiffers(headers, ref);
  if (differs !== null) findings.add("warning", "served", path, differs);
  const isTold = ref?.served !== undefined && encoding === "gzip"; // coded by the publisher
  if (encoding !== null && encoding !== "identity" && !isTold) {
    findings.add(
      "warning",
      "encoding",
      path,
      `it is sent with Content-Encoding ${encoding}: resumed downloads start over`,
    );
  }
  if (asked.startsWith("https:") && url.startsWith("http:")) {
    findings.add("error", "redirect", path, "it leads to plain http: devices refuse it");
  }
}

function checkCaching(findings: Findings, path: string, header: string | null): void {
  const directives = new Set((header ?? "").toLowerCase().split(",").map((part) => part.trim()));
  const maxAge = Number(/max-age=([0-9]+)/.exec(header?.toLowerCase() ?? "")?.[1] ?? NaN);
  const shown = header === null ? "no Cache-Control" : `Cache-Control ${header}`;
  if (path !== RELEASE_PATH) {
    if (!directives.has("immutable") && !(maxAge >= 86_400)) {
      findings.add("warning", "cache", path, `${shown}: expected a year, immutable`);
    }
    return;
  }
  const isFresh = ["no-cache", "no-store"].some((directive) => directives.has(directive));
  if (isFresh || maxAge === 0) return;
  const level = directives.has("immutable") || maxAge > 0 ? "error" : "warning";
  findings.add(level, "cache", path, `${shown}: players may see an old release; expected no-cache`);
}
