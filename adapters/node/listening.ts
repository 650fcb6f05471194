import { fail, type Failure, messageOf, type Result } from "../../lib/core/result.ts";
import type { Peer } from "../../lib/ports/peer.ts";

// Shared by the servers of both runtimes.

/** A server that is listening. */
export interface Server {
  /** Without a trailing slash. */
  readonly url: string;
  /** The port that is listened on. */
  readonly port: number;
  /** Stops listening and ends open connections, including event streams. */
  close(): Promise<void>;
}

/** Answers one request. @param peer The other end of its connection. */
export type Handler = (request: Request, peer: Peer) => Promise<Response> | Response;

/** The address to listen on. */
export interface ServeOptions {
  /** The address, or a name of it; an IPv6 address with or without brackets. */
  readonly hostname: string;
  /** 0 picks a free one. */
  readonly port: number;
}

/** Why the server does not listen. */
export type ServeFailureCode = "port-in-use" | "address-not-available" | "denied" | "other";

/** An address as systems take it, without the brackets that a URL needs. */
export function bareHostname(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** Returns the URL of a server. */
export function serverUrl({ hostname, port }: ServeOptions): string {
  const host = bareHostname(hostname);
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Creates the answer to a request that reached no handler, or whose handler threw. */
export function plainAnswer(status: number): Response {
  return new Response(null, { status, headers: { "cross-origin-resource-policy": "same-origin" } });
}

/** A listening error in words. */
export function serveFailure(
  thrown: unknown,
  { hostname, port }: ServeOptions,
): Result<never, Failure<ServeFailureCode>> {
  const errno = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  const what = `Cannot listen on ${hostname}:${port}`;
  switch (errno) {
    case "EADDRINUSE":
      return fail(
        "port-in-use",
        `${what}: another program is listening there`,
        "Choose another port; --port 0 picks a free one",
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return fail(
        "address-not-available",
        `${what}: this machine has no such address`,
        "Use 127.0.0.1",
      );
    case "EACCES":
      return fail("denied", `${what}: permission denied`, "Choose a port above 1023");
    case "ERR_SOCKET_BAD_PORT":
      return fail(
        "other",
        `${what}: a port is a whole number from 0 to 65535`,
        "Choose another port; --port 0 picks a free one",
      );
    default:
      return fail("other", `${what}: ${messageOf(thrown)}`);
  }
}

/** Whether a request asks for a WebSocket, of the one version that there is (RFC 6455 §4.2.1). */
export function asksForSocket({ method, headers }: Pick<Request, "method" | "headers">): boolean {
  const options = headers.get("connection")?.toLowerCase().split(",") ?? [];
  return method === "GET" && options.some((option) => option.trim() === "upgrade") &&
    headers.get("upgrade")?.toLowerCase() === "websocket" &&
    headers.get("sec-websocket-version") === "13" && headers.has("sec-websocket-key");
}
