import { type Failure, ok, type Result } from "../../lib/core/result.ts";
import {
  bareHostname,
  type Handler,
  serveFailure,
  type ServeFailureCode,
  type ServeOptions,
  type Server,
  serverUrl,
} from "../node/listening.ts";

export type { Handler, ServeFailureCode, ServeOptions, Server } from "../node/listening.ts";

/** Serves HTTP on one address, with Deno's own server. */
export function serve(
  handler: Handler,
  options: ServeOptions,
): Promise<Result<Server, Failure<ServeFailureCode>>> {
  const hostname = bareHostname(options.hostname);
  const stop = new AbortController();
  try {
    const server = Deno.serve({
      hostname,
      port: options.port,
      signal: stop.signal,
      onListen: () => {}, // whoever serves says so in its own words
    }, (request) => {
      // Deno passes on a Host that no URL can hold.
      return URL.canParse(request.url) ? handler(request) : new Response(null, { status: 400 });
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
