import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { fail, type Failure, messageOf, ok, type Result } from "../../lib/core/result.ts";

/** A server that is listening. */
export interface Server {
  /** Without a trailing slash. */
  readonly url: string;
  /** The port that is listened on. */
  readonly port: number;
  /** Stops listening and ends open connections, event streams included. */
  close(): Promise<void>;
}

/** Answers one request. */
export type Handler = (request: Request) => Promise<Response> | Response;

/** Where to listen. */
export interface ServeOptions {
  /** The address, or a name of it. */
  readonly hostname: string;
  /** 0 picks a free one. */
  readonly port: number;
}

/** Why nothing listens. */
export type ServeFailureCode = "port-in-use" | "address-not-available" | "denied" | "other";

/** Serves HTTP/1.1 on one address. */
export function serve(
  handler: Handler,
  { hostname, port }: ServeOptions,
): Promise<Result<Server, Failure<ServeFailureCode>>> {
  const listener = getRequestListener((request) => handler(request), {
    overrideGlobalObjects: false, // the handler gets the platform's own Request and Response
  });
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  return new Promise((resolve) => {
    server.once("error", (error) => resolve(serveFailure(error, { hostname, port })));
    server.listen(port, hostname, () => {
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      resolve(ok({
        url: `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${bound}`,
        port: bound,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      }));
    });
  });
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
        `${what}: another program does`,
        "Choose another port; --port 0 picks a free one",
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return fail(
        "address-not-available",
        `${what}: this machine has no such address`,
        "Use 127.0.0.1",
      );
    case "EACCES":
      return fail("denied", `${what}: this user may not`, "Choose a port above 1023");
    default:
      return fail("other", `${what}: ${messageOf(thrown)}`);
  }
}
