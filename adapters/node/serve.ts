import { createServer } from "node:http";
import { getRequestListener, RequestError } from "@hono/node-server";
import { type Failure, ok, type Result } from "../../lib/core/result.ts";
import {
  bareHostname,
  type Handler,
  serveFailure,
  type ServeFailureCode,
  type ServeOptions,
  type Server,
  serverUrl,
} from "./listening.ts";

export type { Handler, ServeFailureCode, ServeOptions, Server } from "./listening.ts";

/** Serves HTTP/1.1 on one address. */
export function serve(
  handler: Handler,
  options: ServeOptions,
): Promise<Result<Server, Failure<ServeFailureCode>>> {
  const hostname = bareHostname(options.hostname);
  const listener = getRequestListener((request) => handler(request), {
    overrideGlobalObjects: false, // the handler gets the platform's own Request and Response
    errorHandler(thrown) {
      if (thrown instanceof RequestError) return new Response(null, { status: 400 });
      console.error(thrown); // a handler that throws is a bug, and must not be a silent one
      return new Response("Internal Server Error", { status: 500 });
    },
  });
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  return new Promise((resolve) => {
    // Stays, because an accept that fails later must not end the process.
    server.on("error", (error) => resolve(serveFailure(error, options)));
    try {
      server.listen(options.port, hostname, () => {
        const address = server.address();
        const port = typeof address === "object" && address !== null ? address.port : options.port;
        resolve(ok({
          url: serverUrl({ hostname, port }),
          port,
          close: () =>
            new Promise((closed) => {
              server.close(() => closed());
              server.closeAllConnections();
            }),
        }));
      });
    } catch (thrown) {
      resolve(serveFailure(thrown, options)); // a port that is no port is refused at once
    }
  });
}
