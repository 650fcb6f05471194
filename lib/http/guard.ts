import { encodeUtf8 } from "../core/bytes.ts";
import { type Problem, problem } from "../core/problem.ts";
import { checkBodyHeaders } from "./body.ts";

// Who may call (CONTRACTS §1). A browser lets any page send requests to this machine; what a page
// cannot choose are the headers looked at here.

/** Where the service listens, and for whom. */
export interface Access {
  /** The address or name that the service listens on. */
  readonly hostname: string;
  /** Asked of every request when set. Off loopback nothing is answered without one. */
  readonly token?: string | undefined;
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const WILDCARDS = ["0.0.0.0", "[::]"];
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;
const IP_ADDRESS = /^(?:\[[0-9a-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3})$/;

/** Whether only programs on this machine reach the address. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.includes(inHost(hostname)) || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/**
 * Decides whether a request may go on.
 *
 * @param changesState Also for a `GET` that starts work, and for every MCP request.
 * @returns `null`, or why not: 401, 403, and 400 or 413 for a body that will not be read.
 */
export function checkAccess(
  { method, headers }: Pick<Request, "method" | "headers">,
  access: Access,
  { changesState }: { readonly changesState: boolean },
): Problem | null {
  const host = headers.get("host")?.toLowerCase() ?? null;
  return checkHost(host, access) ??
    checkToken(headers.get("authorization"), access) ??
    (changesState ? checkOrigin(headers, host) : null) ??
    (method === "POST" ? checkBodyHeaders(headers) : null);
}

/** Refuses names that are not ours: a foreign name may be pointed at this machine (DNS rebinding). */
function checkHost(host: string | null, { hostname }: Access): Problem | null {
  const name = HOST.exec(host ?? "")?.[1];
  const own = inHost(hostname);
  const ours = name !== undefined &&
    (LOOPBACK.includes(name) || name === own ||
      (WILDCARDS.includes(own) && IP_ADDRESS.test(name)));
  if (ours) return null;
  const found = host === null ? "no Host header" : `Host ${JSON.stringify(host.slice(0, 80))}`;
  return problem(
    403,
    "foreign-host",
    `Found ${found}, expected ${[...new Set([...LOOPBACK, own])].join(", ")}`,
    "Call the service by the address it prints when it starts",
  );
}

function checkToken(authorization: string | null, { hostname, token }: Access): Problem | null {
  if (token === undefined && isLoopback(hostname)) return null;
  const given = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (token !== undefined && given !== undefined && sameText(given, token)) return null;
  return problem(
    401,
    "token-needed",
    `Found ${
      given === undefined ? "no bearer token" : "another token"
    }, expected the service's own`,
    "Send the header Authorization: Bearer <SVC_TOKEN>",
  );
}

function checkOrigin(headers: Headers, host: string | null): Problem | null {
  const origin = headers.get("origin");
  if (origin !== null && origin !== `http://${host}` && origin !== `https://${host}`) {
    return notFromHere(`Origin ${JSON.stringify(origin.slice(0, 80))}`, "our own Origin, or none");
  }
  const site = headers.get("sec-fetch-site");
  // `same-site` may be a page on another port of this machine.
  if (site !== null && site !== "same-origin" && site !== "none") {
    return notFromHere(
      `Sec-Fetch-Site ${JSON.stringify(site.slice(0, 80))}`,
      "same-origin, none, or nothing",
    );
  }
  return null;
}

function notFromHere(found: string, expected: string): Problem {
  return problem(
    403,
    "foreign-origin",
    `Found ${found}, expected ${expected}: pages of other origins may not change anything`,
    "Call from the service's own page, or from a program that is no browser",
  );
}

/** A host name as the Host header spells it. */
function inHost(hostname: string): string {
  const lower = hostname.toLowerCase();
  return lower.includes(":") && !lower.startsWith("[") ? `[${lower}]` : lower;
}

/** Compares without telling by its duration where the texts differ. */
function sameText(a: string, b: string): boolean {
  const left = encodeUtf8(a);
  const right = encodeUtf8(b);
  let difference = left.length ^ right.length;
  for (let i = 0; i < left.length; i++) difference |= (left[i] ?? 0) ^ (right[i] ?? 0);
  return difference === 0;
}
