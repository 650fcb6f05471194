import { createServer, type IncomingMessage } from "node:http";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { Socket } from "node:net";
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
} from "./listening.ts";
import { createPeerLookup } from "./peers.ts";
import { takeUpgrades } from "./upgrades.ts";

export type { Handler, ServeFailureCode, ServeOptions, Server } from "./listening.ts";

/**
 * Serves HTTP/1.1 on one address.
 *
 * @returns `port-in-use`, `address-not-available`, `denied` or `other`.
 */
export function serve(
  handler: Handler,
  options: ServeOptions,
): Promise<Result<Server, Failure<ServeFailureCode>>> {
  const hostname = bareHostname(options.hostname);
  const peerOf = createPeers();
  const listener = getRequestListener(
    (request, { incoming }) => handler(request, peerOf(incoming.socket)),
    {
      overrideGlobalObjects: false, // the handler gets the platform's own Request and Response
      errorHandler(thrown) {
        if (thrown instanceof RequestError) return plainAnswer(400);
        console.error(thrown); // a handler that throws is a bug, and must not be a silent one
        return plainAnswer(500);
      },
    },
  );
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  const upgrades = takeUpgrades(server, handler, ({ socket }: IncomingMessage) => peerOf(socket));
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
      resolve(serveFailure(thrown, options)); // a port that is no port is refused at once
    }
  });
}

/** The other ends of connections; each is asked for its user once. */
function createPeers(): (socket: Socket) => Peer {
  const users = new WeakMap<Socket, Promise<PeerUser>>();
  const lookUp = createPeerLookup();
  const ask = async (socket: Socket): Promise<PeerUser> => {
    const { remoteAddress, remotePort, localAddress, localPort } = socket;
    const known = remoteAddress !== undefined && remotePort !== undefined &&
      localAddress !== undefined && localPort !== undefined;
    const { user } = await lookUp(
      known
        ? {
          remote: { address: remoteAddress, port: remotePort },
          local: { address: localAddress, port: localPort },
        }
        : null,
    );
    return user;
  };
  return (socket) => ({
    user() {
      const user = users.get(socket) ?? ask(socket);
      users.set(socket, user);
      return user;
    },
  });
}
