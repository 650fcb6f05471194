import { CALLER_HEADER } from "../agent/mod.ts";
import { encodeUtf8 } from "../core/bytes.ts";
import { isLoopbackListener } from "../core/loopback.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Peer } from "../ports/peer.ts";
import { checkBodyHeaders, checkContentCoding } from "./body.ts";

// The accepted callers (HTTP-2). A browser lets any page send requests to this machine; the headers
// checked here are those that a page cannot choose.

/** The service's listening address, and its accepted callers. */
export interface Access {
  /** The address or name that the service listens on. */
  readonly hostname: string;
  /** Required of every request when set. Beyond loopback, nothing is answered without one. */
  readonly token?: string | undefined;
}

/** Characters of a token that strangers may try: less can be guessed. */
export const MIN_TOKEN_CHARACTERS = 16;

/** Requirements of a route for its callers. */
export interface RouteGuard {
  /** Whether a request may change something. */
  readonly changesState: boolean;
  /**
   * `own`: the route requires a key of its own in place of the service's token, or is not secret.
   * `app`: like `own`, for apps, whose pages may have any origin.
   */
  readonly access?: "token" | "own" | "app" | undefined;
  /** `bytes`: its bodies are not JSON, and it bounds and checks them itself. */
  readonly body?: "json" | "bytes" | undefined;
  /** It starts work and answers with its events: EventSource, which sends no header of ours, may ask. */
  readonly answersEvents?: true | undefined;
  /** It starts work only by `POST`: a `GET` of a media player starts nothing here. */
  readonly startsByPost?: true | undefined;
  /** Set for a document that a link on another site may open: it is not secret. */
  readonly isDocument?: true | undefined;
  /** Whether the request has the cookie of a page that was let in. */
  readonly session?: boolean | undefined;
}

/** Error code for a token that differs from the service's: a guess, or a mistake. */
export const WRONG_TOKEN = "wrong-token";

/** Hosts that are always accepted: a page cannot point these elsewhere. */
const OWN_NAMES = ["localhost", "127.0.0.1", "[::1]"];
const WILDCARDS = ["0.0.0.0", "[::]"];
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;
const IP_ADDRESS = /^(?:\[[0-9a-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3})$/;

/**
 * Decides whether a request may continue. A read by a foreign page is refused as well: the page cannot
 * see the answer, but reading a status runs programs and sends requests to servers.
 *
 * @param changesState Also for a `GET` that starts work, and for every MCP request: a link or a
 * preview, which a browser follows unasked, must not start any.
 * @returns `null`, or why not: 401, 403, and 400 or 413 for a body that will not be read.
 */
export function checkAccess(
  { method, headers, url }: Pick<Request, "method" | "headers" | "url">,
  access: Access,
  guard: RouteGuard,
): Problem | null {
  const { changesState, access: asked = "token", body = "json", isDocument, session = false } =
    guard;
  // A `Request` that a program creates has no Host header. The servers here take the URL's host
  // from it.
  const host = headers.get("host")?.toLowerCase() ?? new URL(url).host;
  const isSession = session && isBySession(headers);
  return checkHost(host, access) ??
    (asked === "token" && !isSession ? checkToken(headers.get("authorization"), access) : null) ??
    (asked === "app" || isDocument && isLedTo(headers) ? null : checkOrigin(headers, host)) ??
    (changesState ? checkInitiator(headers, host) : null) ??
    (changesState ? checkCaller({ method, headers }, host, guard) : null) ??
    (method === "POST" ? checkContentCoding(headers) : null) ??
    (method === "POST" && body === "json" ? checkBodyHeaders(headers) : null);
}

/** Refuses names that are not ours: a foreign name may be pointed at this machine (DNS rebinding). */
function checkHost(host: string, { hostname }: Access): Problem | null {
  const name = HOST.exec(host)?.[1];
  const own = inHost(hostname);
  const onAll = WILDCARDS.includes(own);
  const ours = name !== undefined &&
    (OWN_NAMES.includes(name) || name === own || (onAll && IP_ADDRESS.test(name)));
  if (ours) return null;
  const found = `Host ${JSON.stringify(host.slice(0, 80))}`;
  const expected = new Set([...OWN_NAMES, own, ...(onAll ? ["another IP address"] : [])]);
  return problem(
    403,
    "foreign-host",
    `Found ${found}, expected ${[...expected].join(", ")}`,
    onAll
      ? "Call the service by an IP address of its machine, or start it with --host <name>"
      : "Call the service by the address it prints when it starts",
  );
}

/**
 * Returns whether only a page's cookie authorizes a request: it has no bearer token, and its
 * browser does not report another page or a typed address as the initiator.
 */
export function isBySession(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  return headers.get("authorization") === null && (site === null || site === "same-origin");
}

function checkToken(authorization: string | null, access: Access): Problem | null {
  if (access.token === undefined && isLoopbackListener(access.hostname)) return null;
  return checkBearer(/^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1], access);
}

/** Compares a bearer token with the service's. @returns `null` if they are equal, otherwise 401. */
export function checkBearer(given: string | undefined, { token }: Access): Problem | null {
  if (token !== undefined && given !== undefined && sameText(given, token)) return null;
  const next = "Send the header Authorization: Bearer <token>, with the token of this service";
  return given === undefined
    ? problem(401, "token-needed", "Found no bearer token, expected the service's own", next)
    : problem(401, WRONG_TOKEN, "Found another token, expected the service's own", next);
}

/**
 * Decides whether the peer may call: on loopback, another user of the machine is not the developer.
 * A token that cannot be guessed decides alone.
 *
 * @returns `null`, or 403 `another-user`.
 */
export async function checkPeer(peer: Peer, { token = "" }: Access): Promise<Problem | null> {
  if (token.length >= MIN_TOKEN_CHARACTERS || await peer.user() !== "another") return null;
  return problem(
    403,
    "another-user",
    "The call comes from a program of another user of this machine, expected one of the user who " +
      "started the service",
    "Start the service with --token, and send Authorization: Bearer <token>",
  );
}

function checkOrigin(headers: Headers, host: string | null): Problem | null {
  const origin = headers.get("origin");
  if (origin !== null && !isOurs(origin, host)) {
    return foreignOrigin("Origin", origin, "our own, or none");
  }
  const site = headers.get("sec-fetch-site");
  // `same-site` may be a page on another port of this machine.
  if (site !== null && site !== "same-origin" && site !== "none") {
    return foreignOrigin("Sec-Fetch-Site", site, "same-origin or none");
  }
  // Chromium's speculation rules let any page prefetch, with `Sec-Fetch-Site: none`.
  const purpose = headers.get("sec-purpose");
  return purpose === null ? null : notByScript("Sec-Purpose", purpose, "none");
}

/** Whether a browser opens a document in a tab of its own, as after a click (Fetch Metadata): no frame, no script. */
function isLedTo(headers: Headers): boolean {
  return headers.get("sec-fetch-mode") === "navigate" &&
    headers.get("sec-fetch-dest") === "document" && headers.get("sec-purpose") === null &&
    headers.get("origin") === null;
}

/** Refuses requests of a browser that the editor's page did not initiate (Fetch Metadata). */
function checkInitiator(headers: Headers, host: string | null): Problem | null {
  const mode = headers.get("sec-fetch-mode");
  if (mode === "navigate") return notByScript("Sec-Fetch-Mode", mode, "cors or same-origin");
  const destination = headers.get("sec-fetch-dest");
  if (destination !== null && destination !== "empty") {
    return notByScript("Sec-Fetch-Dest", destination, "empty");
  }
  const referer = headers.get("referer");
  return referer === null || isOurs(originOf(referer), host)
    ? null
    : foreignOrigin("Referer", referer, "our own, or none");
}

/**
 * Refuses requests that a browser makes without a script, even for the editor's page: a picture
 * that a model names is requested from this origin with its Referer, and only the missing custom
 * header distinguishes it from a script's request (decision 108).
 */
function checkCaller(
  { method, headers }: Pick<Request, "method" | "headers">,
  host: string | null,
  { answersEvents, startsByPost }: RouteGuard,
): Problem | null {
  const isPost = method === "POST"; // which no loader sends
  const sign = signOfBrowser(headers) ?? (isPost || startsByPost ? null : signOfLoader(headers));
  if (sign === null || headers.has(CALLER_HEADER)) return null;
  if (answersEvents && acceptsEvents(headers) && isOwnPage(headers, host)) return null;
  const expected = answersEvents ? " or Accept: text/event-stream from our own page" : "";
  return problem(
    403,
    "not-by-script",
    `Found ${sign} without X-Svc-Caller, expected X-Svc-Caller${expected}: ` +
      "a request that no script made may not start work",
    "Call it with fetch() from the service's own page and send X-Svc-Caller: human, or with agent " +
      "from another program",
  );
}

/** Returns the header that identifies a request as a browser's, or `null` for another program's. */
function signOfBrowser(headers: Headers): string | null {
  const metadata = [...headers.keys()].filter((name) => name.startsWith("sec-fetch-"));
  // Node's fetch() sends this header alone. Browsers that send it also send Sec-Fetch-Site.
  const isNode = metadata.length === 1 && headers.get("sec-fetch-mode") === "cors";
  if (metadata.length > 0 && !isNode) return "Sec-Fetch headers";
  // Without TLS beyond loopback, and in old browsers, only these headers identify a browser.
  if (headers.has("cookie")) return "a Cookie";
  return headers.has("referer") ? "a Referer" : null;
}

/**
 * The User-Agent of a browser, or of a media player that it passes an address to: such players follow
 * a playlist of any page, and send none of the headers above.
 */
const LOADER = /^(?:Mozilla|AppleCoreMedia|GStreamer)\b/i;

/** Returns the header that identifies a request without a body as a browser's or a player's, or `null`. */
function signOfLoader(headers: Headers): string | null {
  return LOADER.test(headers.get("user-agent") ?? "") ? "the User-Agent of a browser" : null;
}

function acceptsEvents(headers: Headers): boolean {
  const types = (headers.get("accept") ?? "").split(",");
  return types.some((type) => type.split(";")[0]?.trim().toLowerCase() === "text/event-stream");
}

/**
 * Whether a request is from our own page. Any page may send `Accept` without asking us first, and
 * browsers send our cookie for pages of other ports, too; such requests have another Origin or
 * Referer, or none.
 */
function isOwnPage(headers: Headers, host: string | null): boolean {
  return headers.get("sec-fetch-site") === "same-origin" || headers.has("origin") ||
    isOurs(originOf(headers.get("referer") ?? ""), host);
}

function isOurs(origin: string | null, host: string | null): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}

function foreignOrigin(header: string, found: string, expected: string): Problem {
  return problem(
    403,
    "foreign-origin",
    `Found ${header} ${JSON.stringify(found.slice(0, 80))}, expected ${expected}: ` +
      "pages of other origins may not call this service",
    "Call from the service's own page, or from a program that is not a browser",
  );
}

function notByScript(header: string, found: string, expected: string): Problem {
  return problem(
    403,
    "not-by-script",
    `Found ${header} ${JSON.stringify(found.slice(0, 80))}, expected ${expected}: ` +
      "following a link may not start work, and a preview may not even read",
    "Call it with fetch() or EventSource from the service's own page, or from another program",
  );
}

/** A host name as the Host header spells it. */
function inHost(hostname: string): string {
  const lower = hostname.toLowerCase();
  return lower.includes(":") && !lower.startsWith("[") ? `[${lower}]` : lower;
}

/** Compares in a time that does not reveal where the texts differ. */
function sameText(a: string, b: string): boolean {
  const left = encodeUtf8(a);
  const right = encodeUtf8(b);
  let difference = left.length ^ right.length;
  for (let i = 0; i < left.length; i++) difference |= (left[i] ?? 0) ^ (right[i] ?? 0);
  return difference === 0;
}
