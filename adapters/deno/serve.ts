import { type Failure, messageOf, ok, type Result } from "../../lib/core/result.ts";
import { createHttpServer } from "../node/http-server.ts";
import {
  bareHostname,
  type Handler,
  serveFailure,
  type ServeFailureCode,
  type ServeOptions,
  type Server,
  serverUrl,
} from "../node/listening.ts";
import { ConnectionStream } from "./connection-stream.ts";

export type { Handler, ServeFailureCode, ServeOptions, Server } from "../node/listening.ts";

/**
 * Serves HTTP/1.1 on one address, as the adapter of Node does, over connections that are accepted here
 * (decision 130).
 *
 * @returns `port-in-use`, `address-not-available`, `denied` or `other`.
 */
export function serve(
  handler: Handler,
  options: ServeOptions,
): Promise<Result<Server, Failure<ServeFailureCode>>> {
  const hostname = bareHostname(options.hostname);
  try {
    const listener = Deno.listen({ hostname, port: options.port });
    const { port } = listener.addr;
    const close = answerAll(listener, handler);
    return Promise.resolve(ok({ url: serverUrl({ hostname, port }), port, close }));
  } catch (thrown) {
    return Promise.resolve(serveFailure(withErrno(thrown), options));
  }
}

/** Wait before accepting again when no descriptor is left for a connection, in milliseconds. */
const ACCEPT_AGAIN_MS = 100;

/** Answers the connections of a listener. @returns Ends that, and all connections. */
function answerAll(listener: Deno.TcpListener, handler: Handler): () => Promise<void> {
  const { server, upgrades } = createHttpServer(handler);
  const open = new Set<ConnectionStream>();
  let isOpen = true;
  // The server itself does not listen, and keeps no connection alive unless it believes that it
  // does.
  Object.defineProperty(server, "listening", { get: () => isOpen });
  server.emit("listening"); // begins to look for requests that are sent too slowly
  const accepting = acceptAll(listener, (connection) => {
    if (!isOpen) return connection.close(); // the connection arrived in the turn of the end
    const stream = new ConnectionStream(connection);
    open.add(stream);
    stream.once("close", () => open.delete(stream));
    server.emit("connection", stream);
  });
  return async () => {
    if (isOpen) {
      isOpen = false;
      listener.close();
      server.close();
      upgrades.end();
      for (const stream of open) stream.destroy();
    }
    await accepting;
  };
}

/** Accepts connections until the listener is closed. */
async function acceptAll(
  listener: Deno.TcpListener,
  take: (connection: Deno.TcpConn) => void,
): Promise<void> {
  while (true) {
    try {
      take(await listener.accept());
    } catch (thrown) {
      if (thrown instanceof Deno.errors.BadResource) return;
      if (thrown instanceof Deno.errors.Interrupted) return;
      // Any caller may take all descriptors that this process has.
      console.error(`warning: accepting again: ${messageOf(thrown)}`);
      await new Promise((resolve) => setTimeout(resolve, ACCEPT_AGAIN_MS));
    }
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
