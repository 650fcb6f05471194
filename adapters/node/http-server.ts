import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers";
import type { Duplex } from "node:stream";
import type { Peer, PeerUser } from "../../lib/ports/peer.ts";
import { type Handler, plainAnswer } from "./listening.ts";
import { createPeerLookup } from "./peers.ts";
import { takeUpgrades, type Upgrades } from "./upgrades.ts";

/** An HTTP server with its open WebSockets. */
export interface HttpServer {
  readonly server: Server;
  readonly upgrades: Upgrades;
}

/** Creates an HTTP/1.1 server for given connections: it does not listen itself. */
export function createHttpServer(handler: Handler): HttpServer {
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
  const server = createServer(
    // How long a body may take is the handler's rule: Node's own would end a large upload after 5
    // minutes, however fast it is. Without it, Node's deadline for headers has to be named, and a
    // body that no handler waits for has to be bounded.
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0, headersTimeout: HEADERS_MS },
    (incoming, outgoing) => {
      outgoing.once("finish", () => endUnlessComplete(incoming));
      if (!isForOneHost(incoming)) outgoing.writeHead(400).end();
      else if (hasCodingBesideChunks(incoming)) refuseCoding(outgoing);
      else void listener(incoming, outgoing);
    },
  );
  server.maxHeadersCount = 0; // above 2,000 headers, Node would drop the rest; their bytes are bounded
  server.on("clientError", refuseUnread);
  const upgrades = takeUpgrades(server, handler, ({ socket }: IncomingMessage) => peerOf(socket));
  return { server, upgrades };
}

/**
 * Returns whether the header's host can be part of a URL, as `xn--` and `1.2.3.256` cannot; and
 * whether a target with a host (RFC 9112 §3.2.2) names the same one: otherwise one of them is false.
 */
function isForOneHost({ url = "", headers: { host } }: IncomingMessage): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  return url.startsWith("/") || !URL.canParse(url) || new URL(url).host === host?.toLowerCase();
}

/**
 * Returns whether chunks are not a body's only transfer coding: Node decodes only them, and would pass
 * on a compressed body as if it were not compressed. Node's parser refuses a body without chunks.
 */
function hasCodingBesideChunks({ headers }: IncomingMessage): boolean {
  return /,\s*chunked\s*$/i.test(headers["transfer-encoding"] ?? "");
}

/** Answers a request with another transfer coding (RFC 9112 §6.1). */
function refuseCoding(outgoing: ServerResponse): void {
  const text = "This server decodes no transfer coding but chunked. Send the body uncompressed.";
  const headers = { "content-type": "text/plain", "content-length": text.length };
  outgoing.writeHead(501, headers).end(text);
}

/** Ends the connection of a request that was answered, if the rest of the request does not arrive. */
function endUnlessComplete(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  setTimeout(() => incoming.complete || incoming.socket.destroy(), LINGER_MS).unref();
}

/** How long the headers of a request may take to arrive, in milliseconds. */
const HEADERS_MS = 60_000;
/** Bytes of a request's headers. */
const MAX_HEADER_BYTES = 64 * 1024;
/** How long a caller may continue to send after its answer before it is cut off, in milliseconds. */
const LINGER_MS = 1_000;
const TOO_LARGE = `The headers of this request are over ${MAX_HEADER_BYTES / 1024} KiB. Most ` +
  "likely these are cookies: a browser sends those that other pages of this machine have set to every " +
  "port of it. Remove the cookies of this address in the browser's settings, or open it by its other " +
  "name, with localhost in place of 127.0.0.1 or the other way round.";
/** The answers to unreadable requests, by the codes of Node's parser. */
const UNREAD: Readonly<Record<string, readonly [status: number, text: string]>> = {
  HPE_HEADER_OVERFLOW: [431, TOO_LARGE],
  ERR_HTTP_REQUEST_TIMEOUT: [408, ""],
};

/**
 * Answers an unreadable request, and ends the connection. No further bytes reach the parser: Deno
 * has already put it back, for the next connection (decision 130).
 */
function refuseUnread({ code }: NodeJS.ErrnoException, connection: Duplex): void {
  connection.removeAllListeners("data").removeAllListeners("end");
  if (!connection.writable || code === "ECONNRESET") return void connection.destroy();
  const [status, text] = UNREAD[code ?? ""] ?? [400, ""];
  connection.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n` +
      `content-type: text/plain\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  );
  connection.resume(); // closing with unread bytes resets the connection and loses the answer
  setTimeout(() => connection.destroy(), LINGER_MS).unref();
}

/** Creates the peers of connections; the user of each is looked up once. */
function createPeers(): (socket: Socket) => Peer {
  const users = new WeakMap<Socket, Promise<PeerUser>>();
  const lookUp = createPeerLookup();
  const ask = async (socket: Socket): Promise<PeerUser> => {
    const { remoteAddress, remotePort, localAddress, localPort } = socket;
    const known = remoteAddress !== undefined && remotePort !== undefined &&
      localAddress !== undefined && localPort !== undefined;
    return await lookUp(
      known
        ? {
          remote: { address: remoteAddress, port: remotePort },
          local: { address: localAddress, port: localPort },
        }
        : null,
    );
  };
  return (socket) => ({
    address: socket.remoteAddress,
    user() {
      const user = users.get(socket) ?? ask(socket);
      users.set(socket, user);
      return user;
    },
  });
}
