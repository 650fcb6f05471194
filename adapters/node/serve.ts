import { type Failure, ok, type Result } from "../../lib/core/result.ts";
import { createHttpServer } from "./http-server.ts";
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

/**
 * Serves HTTP/1.1 on one address. Node ends connections that send no complete headers within a
 * minute, checking twice a minute.
 *
 * @returns `port-in-use`, `address-not-available`, `denied` or `other`.
 */
export function serve(
  handler: Handler,
  options: ServeOptions,
): Promise<Result<Server, Failure<ServeFailureCode>>> {
  const hostname = bareHostname(options.hostname);
  const { server, upgrades } = createHttpServer(handler);
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
              upgrades.end();
            }),
        }));
      });
    } catch (thrown) {
      resolve(serveFailure(thrown, options)); // an invalid port is refused synchronously
    }
  });
}
