import { type Failure, ok, type Result } from "../../lib/core/result.ts";
import type { Peer, PeerUser } from "../../lib/ports/peer.ts";
import {
  bareHostname,
  type Handler,
  plainAnswer,
  serveFailure,
  type ServeFailureCode,
  type ServeOptions,
  type Server,
  serverUrl,
} from "../node/listening.ts";
import { type Ends, peerUser } from "../node/peers.ts";

export type { Handler, ServeFailureCode, ServeOptions, Server } from "../node/listening.ts";

/** Serves HTTP on one address, with Deno's own server. */
export function serve(
  handler: Handler,
  options: ServeOptions,
): Promise<Result<Server, Failure<ServeFailureCode>>> {
  const hostname = bareHostname(options.hostname);
  const stop = new AbortController();
  const peerOf = createPeers();
  try {
    const server: Deno.HttpServer<Deno.NetAddr> = Deno.serve({
      hostname,
      port: options.port,
      signal: stop.signal,
      onListen: () => {}, // whoever serves says so in its own words
      onError(thrown) {
        console.error(thrown); // a handler that throws is a bug, and must not be a silent one
        return plainAnswer(500);
      },
    }, (request, { remoteAddr }) => {
      // Deno passes on a Host that no URL can hold.
      if (!URL.canParse(request.url)) return plainAnswer(400);
      return handler(request, peerOf({ remote: endOf(remoteAddr), local: endOf(server.addr) }));
    });
    const { port } = server.addr;
    return Promise.resolve(ok({
      url: serverUrl({ hostname, port }),
      port,
      async close() {
        stop.abort(); // ends open connections; shutdown() would wait for event streams
        await server.finished;
      },
    }));
  } catch (thrown) {
    return Promise.resolve(serveFailure(withErrno(thrown), options));
  }
}

/** Deno's errors under the codes that Node has. */
function withErrno(thrown: unknown): unknown {
  const errno = errnoOf(thrown);
  return errno === null ? thrown : Object.assign(new Error(String(thrown)), { code: errno });
}

function errnoOf(thrown: unknown): string | null {
  if (thrown instanceof Deno.errors.AddrInUse) return "EADDRINUSE";
  if (thrown instanceof Deno.errors.AddrNotAvailable) return "EADDRNOTAVAIL";
  if (thrown instanceof Deno.errors.PermissionDenied) return "EACCES";
  if (!(thrown instanceof Error)) return null;
  // These two have no class of their own.
  if (/invalid port/i.test(thrown.message)) return "ERR_SOCKET_BAD_PORT";
  return /lookup address/i.test(thrown.message) ? "ENOTFOUND" : null;
}

type End = Ends["remote"];

function endOf({ hostname, port }: Deno.NetAddr): End {
  return { address: hostname, port };
}

/**
 * How long the user behind a port is remembered, in milliseconds: Linux gives the port of a caller
 * that hung up to nobody else for a second (`tcp_tw_reuse`).
 */
const REMEMBERED_MS = 1_000;

/**
 * The other ends of connections. Deno does not tell which requests share one, so what is remembered
 * is who was at the caller's port a moment ago; the table costs up to milliseconds to read.
 */
function createPeers(): (ends: Ends) => Peer {
  const seen = new Map<string, { readonly user: Promise<PeerUser>; readonly until: number }>();
  return (ends) => ({
    user() {
      const { address, port } = ends.remote;
      const key = `${address} ${port}`;
      const now = performance.now();
      const known = seen.get(key);
      if (known !== undefined && now < known.until) return known.user;
      for (const [old, { until }] of seen) if (until <= now) seen.delete(old);
      const user = peerUser(ends).then((found) => {
        if (found !== "same") seen.delete(key); // whoever comes next at that port is asked for anew
        return found;
      });
      seen.set(key, { user, until: now + REMEMBERED_MS });
      return user;
    },
  });
}
