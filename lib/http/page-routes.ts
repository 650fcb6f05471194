import { own } from "../core/json.ts";
import type { Problem } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { EditorPage, PageFile } from "../project/mod.ts";
import { fileResponse } from "./respond.ts";
import type { Route } from "./route.ts";

// The editor's page. It is not secret: it can do only what its requests are allowed to do.

/** Path of the page; a browser that asks for `/` gets it as well. */
export const PAGE_PATH = "/page/";

/** Content of a frame: the simulated phone, on an origin of its own. */
export type Framed = (origin: string) => Promise<string | null>;

/**
 * Returns the content security policy of the page: it may load and request only what this service
 * serves, except for one frame. No page may embed it.
 */
const policyOf = (framed: string | null): string =>
  [
    ...(framed === null ? [] : [`frame-src ${framed}`]),
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "media-src blob:",
    "font-src 'self' blob:",
    "connect-src 'self' blob: data:",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const HTML_HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "same-origin",
};
/** Names of the files follow from their bytes. */
const FILE_HEADERS = { "cache-control": "public, max-age=31536000, immutable" };

/** Whether a browser asks for a document at the root. */
export function asksForPage({ method, headers }: Request, pathname: string): boolean {
  const isRead = method === "GET" || method === "HEAD";
  return isRead && pathname === "/" && (headers.get("accept") ?? "").includes("text/html");
}

/** The routes of the editor's page; none where the service has none. */
export function pageRoutes(page: EditorPage | undefined, framed: Framed): readonly Route[] {
  if (page === undefined) return [];
  const common = { method: "GET", changesState: false, query: [], access: "own" } as const;
  return [{
    ...common,
    path: PAGE_PATH,
    doc: "the editor's page; / in a browser",
    isDocument: true,
    async handle({ request }) {
      const { origin } = new URL(request.url);
      const policy = policyOf(await framed(origin));
      return sent(await page.html(), { ...HTML_HEADERS, "content-security-policy": policy });
    },
  }, {
    ...common,
    path: `${PAGE_PATH}:name`,
    doc: "its scripts and its style",
    handle: async ({ params }) => sent(await page.file(own(params, "name") ?? ""), FILE_HEADERS),
  }];
}

function sent(
  file: Result<PageFile, Problem>,
  headers: Readonly<Record<string, string>>,
): Result<Response, Problem> {
  return file.ok ? ok(fileResponse(file.value, headers)) : file;
}
