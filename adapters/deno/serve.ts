import { type Failure, ok, type Result } from "../../lib/core/result.ts";
import {
  type Handler,
  serveFailure,
  type ServeFailureCode,
  type ServeOptions,
  type Server,
} from "../node/serve.ts";

export type { Handler, ServeFailureCode, ServeOptions, Server } from "../node/serve.ts";

/** Serves HTTP on one address, with Deno's own server. */
export function serve(
  handler: Handler,
  options: ServeOptions,
): Promise<Result<Server, Failure<ServeFailureCode>>> {
  const stop = new AbortController();
  try {
    const server = Deno.serve({
      hostname: options.hostname,
      port: options.port,
      signal: stop.signal,
      onListen: () => {}, // whoever serves says so in its own words
    }, (request) => handler(request));
    const { port } = server.addr;
    const { hostname } = options;
    return Promise.resolve(ok({
      url: `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`,
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

/** Deno's error classes as the codes that Node has. */
function withErrno(thrown: unknown): unknown {
  const errno = thrown instanceof Deno.errors.AddrInUse
    ? "EADDRINUSE"
    : thrown instanceof Deno.errors.AddrNotAvailable
    ? "EADDRNOTAVAIL"
    : thrown instanceof Deno.errors.PermissionDenied
    ? "EACCES"
    : undefined;
  return errno === undefined ? thrown : Object.assign(new Error(String(thrown)), { code: errno });
}
