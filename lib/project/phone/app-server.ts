import { attempt } from "../../core/attempt.ts";
import { encodeUtf8, readAtMost } from "../../core/bytes.ts";
import { atResolved, locationInside } from "../../core/inside.ts";
import { isRecord } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import { checkPath } from "../../core/paths.ts";
import { messageOf } from "../../core/result.ts";
import type { Fetch } from "../../ports/fetch.ts";
import type { Files } from "../../ports/files.ts";
import type { Answering } from "../../ports/listen.ts";
import { crossOriginRefusal } from "../served/mod.ts";
import {
  ANSWERED_BY,
  BRIDGE_FOLDER,
  bridgeScript,
  mediaTypeOf,
  NO_NETWORK,
  withBridge,
} from "./app-page.ts";

// The server of the phone's web view, on an origin of its own (decision 100): only requests with
// the address of the running launch get an answer, and only the editor's page may frame it.

/** The longest that a page may ask of the device, in bytes: a manifest is in it. */
const MAX_ASKED_BYTES = 16 * 1024 * 1024;
/** The largest page of a game, in bytes. */
const MAX_PAGE_BYTES = 1024 * 1024;
/** Requests to the device, and for files, that are answered in parallel. */
const MAX_OPEN = 64;
/** An answer without a body, for refused requests. */
const REFUSED = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const;

/** The app that runs. */
export interface RunningApp {
  /** The first part of every path: 128 random bits in hexadecimal digits, new at each launch. */
  readonly key: string;
  /** Served folder, absolute. */
  readonly folder: string;
  /** Script that the page runs first (NAT-7). */
  readonly script: string;
  readonly baseUrl: string;
  /** This start was broken by hand. */
  readonly isBroken: boolean;
  /** Answers a call of the page to its native side; rejects as the plugin does. */
  native(method: string, request: unknown): Promise<unknown>;
  /** The network, as the client in the page asks it. */
  readonly fetch: Fetch;
}

/** Dependencies of the web view's server. */
export interface AppServerParts {
  readonly files: Pick<Files, "read" | "realPath" | "stat" | "openRead">;
  /** Returns the running app; `null` for none. */
  readonly running: () => RunningApp | null;
  /** Origins of the editor's page: these may frame the app. */
  readonly framedBy: () => readonly string[];
}

/** Answers for the app that runs, and for no other. */
export function createAppServer(parts: AppServerParts): Answering {
  let open = 0;
  return async (request, peer) => {
    const refusal = refusalOf(request);
    if (refusal !== null) return refusal;
    const app = parts.running();
    const path = app === null ? null : pathIn(request, app);
    if (app === null || path === null) return nothing(404);
    if (await peer.user() === "another") return nothing(403);
    if (open >= MAX_OPEN) return nothing(503);
    open++;
    try {
      return await answer(parts, { app, path, request });
    } finally {
      open--;
    }
  };
}

/** Refuses by the headers that no page can choose (Fetch Metadata); `null` to continue. */
function refusalOf({ url, method, headers }: Request): Response | null {
  const { hostname, origin } = new URL(url);
  // The owner of a name may point it at this machine (DNS rebinding).
  if (!["localhost", "127.0.0.1"].includes(hostname)) return nothing(403);
  if (!["GET", "HEAD", "POST"].includes(method)) return nothing(405);
  const from = headers.get("origin");
  if (from !== null && from !== origin) return nothing(403);
  if (method === "POST" && from === null) return nothing(403);
  const site = headers.get("sec-fetch-site");
  const isFramed = method === "GET" && headers.get("sec-fetch-dest") === "iframe";
  return site === null || site === "same-origin" || isFramed ? null : nothing(403);
}

function pathIn({ url }: Request, { key }: RunningApp): string | null {
  const { pathname } = new URL(url);
  if (!pathname.startsWith(`/${key}/`)) return null;
  try {
    return decodeURIComponent(pathname.slice(key.length + 2)) || "index.html";
  } catch {
    return null;
  }
}

interface Asked {
  readonly app: RunningApp;
  readonly path: string;
  readonly request: Request;
}

async function answer(parts: AppServerParts, { app, path, request }: Asked): Promise<Response> {
  if (request.method === "POST") {
    return path === `${BRIDGE_FOLDER}/native` ? await askNative(app, request) : nothing(404);
  }
  switch (path) {
    case `${BRIDGE_FOLDER}/bridge.js`:
      return sent(path, encodeUtf8(`${app.script}\n${bridgeScript(app.baseUrl, app)}`));
    case `${BRIDGE_FOLDER}/network`:
      return await throughNetwork(app, request);
    case "index.html": {
      const page = await attempt(async () => {
        const place = await locationInside(parts.files, app.folder, path);
        return place === null || place === "outside"
          ? null
          : await atResolved(parts.files).read(place, MAX_PAGE_BYTES);
      });
      if (!page.ok || page.value === null) return nothing(404);
      const framing = `frame-ancestors ${parts.framedBy().join(" ") || "'none'"}`;
      return sent(path, withBridge(page.value), {
        "content-security-policy": framing,
        "origin-agent-cluster": "?1", // a game that is slow must not slow the editor's page
      });
    }
    default:
      return await fileOf(parts, app, path);
  }
}

async function fileOf(
  { files }: AppServerParts,
  { folder }: RunningApp,
  path: string,
): Promise<Response> {
  if (!checkPath(path).ok) return nothing(404);
  const found = await attempt(async () => {
    const place = await locationInside(files, folder, path);
    if (place === null || place === "outside") return null;
    const stat = await files.stat(place);
    const body = stat?.kind === "file" ? await atResolved(files).openRead(place) : null;
    return stat && body && { size: stat.size, body };
  });
  if (!found.ok || found.value === null) return nothing(404);
  const { size, body } = found.value;
  return sent(path, body, { "content-length": String(size) });
}

async function askNative(app: RunningApp, request: Request): Promise<Response> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\b/i.test(type) || request.body === null) return nothing(400);
  const bytes = await readAtMost(request.body, MAX_ASKED_BYTES, request.signal)
    .catch(() => undefined); // leaving a page cancels its requests
  if (bytes === undefined) return nothing(400);
  if (bytes === null) return nothing(413);
  const asked = parseJson(bytes);
  const method = isRecord(asked) ? asked["method"] : undefined;
  if (!isRecord(asked) || typeof method !== "string") return nothing(400);
  try {
    return json({ value: await app.native(method, asked["request"]) ?? null });
  } catch (thrown) {
    return json({ error: messageOf(thrown) });
  }
}

async function throughNetwork({ fetch }: RunningApp, request: Request): Promise<Response> {
  const url = new URL(request.url).searchParams.get("url") ?? "";
  try {
    const { method, signal } = request;
    const { status, headers: given, body, url: from } = await fetch(url, { method, signal });
    const isElsewhere = from !== "" && new URL(from).origin !== new URL(url).origin;
    if (isElsewhere && crossOriginRefusal(given) !== null) {
      await body?.cancel();
      throw new TypeError(`${from} lets no app's page read it`);
    }
    const headers = { ...REFUSED, ...(from !== "" && { [ANSWERED_BY]: from }) };
    return new Response(status === 204 ? null : body, { status, headers });
  } catch {
    return new Response(null, { headers: { ...REFUSED, [NO_NETWORK]: "none" } });
  }
}

function nothing(status: number): Response {
  return new Response(null, { status, headers: REFUSED });
}

function json(value: unknown): Response {
  return Response.json(value, { headers: REFUSED });
}

function sent(
  path: string,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, {
    headers: { ...REFUSED, ...headers, "content-type": mediaTypeOf(path) },
  });
}
