import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { STATUS_CODES } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import type { Peer } from "../../lib/ports/peer.ts";
import type { MessageSocket, SocketBounds, Upgrade } from "../../lib/ports/web-sockets.ts";
import { asksForSocket, type Handler, plainAnswer } from "./listening.ts";
import { messageSocketOf } from "./message-socket.ts";

/** The connections that requests were answered by. */
export interface Upgrades {
  /** Ends all connections. */
  end(): void;
}

/**
 * Lets the handler answer requests by WebSockets: node:http hands a request with `Upgrade` over as its
 * bare connection, onto which a refusal is written as the response that it is.
 */
export function takeUpgrades(
  server: Server,
  handler: Handler,
  peerOf: (incoming: IncomingMessage) => Peer,
): Upgrades {
  const open = new Set<WebSocket>();
  server.on("upgrade", (incoming, connection, head) => {
    connection.on("error", () => connection.destroy());
    const gone = new AbortController();
    connection.once("close", () => gone.abort());
    const asked = askedFor(incoming, head, open);
    answer(incoming, { connection, handler, peer: peerOf(incoming), asked, signal: gone.signal })
      .catch((thrown: unknown) => {
        console.error(thrown); // a handler that throws is a bug, and must not be a silent one
        return plainAnswer(500);
      })
      .then((response) => response === null ? undefined : refuse(connection, response, gone.signal))
      .catch(() => connection.destroy()); // its body was interrupted, or its reader has left
  });
  return {
    end() {
      for (const socket of open) socket.terminate();
    },
  };
}

/** A requested connection. */
interface Asked {
  readonly upgrade: (bounds: SocketBounds) => Upgrade;
  /** Accepts the connection if that is the handler's answer. @returns Whether it is. */
  take(answer: Response, connection: Duplex): boolean;
}

function askedFor(
  incoming: IncomingMessage,
  head: Buffer,
  open: Set<WebSocket>,
): Asked {
  let accepted: { readonly response: Response; readonly bounds: SocketBounds } | null = null;
  let settle: (socket: MessageSocket | null) => void = () => {};
  return {
    upgrade(bounds) {
      const response = new Response(null); // a Response cannot say 101
      accepted = { response, bounds };
      return { response, socket: new Promise((resolve) => settle = resolve) };
    },
    take(answer, connection) {
      if (accepted?.response !== answer) {
        settle(null);
        return false;
      }
      const { bounds } = accepted;
      const sockets = new WebSocketServer({
        noServer: true,
        clientTracking: false,
        perMessageDeflate: false,
        maxPayload: bounds.maxMessageBytes,
      });
      connection.once("close", () => settle(null)); // `ws` itself refuses an invalid key
      sockets.handleUpgrade(incoming, connection, head, (socket) => {
        open.add(socket);
        socket.once("close", () => open.delete(socket));
        settle(messageSocketOf(socket, bounds));
      });
      return true;
    },
  };
}

/** @returns The response in place of a connection; `null` if it was accepted. */
async function answer(
  incoming: IncomingMessage,
  { connection, handler, peer, asked, signal }: {
    readonly connection: Duplex;
    readonly handler: Handler;
    readonly peer: Peer;
    readonly asked: Asked;
    readonly signal: AbortSignal;
  },
): Promise<Response | null> {
  const url = `http://${incoming.headers.host ?? ""}${incoming.url ?? ""}`;
  // The body of a request for another protocol cannot be read here.
  const hasBody = "content-length" in incoming.headers || "transfer-encoding" in incoming.headers;
  if (!URL.canParse(url) || hasBody) return plainAnswer(400);
  const headers = new Headers();
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  }
  const request = new Request(url, { method: incoming.method ?? "GET", headers, signal });
  const { upgrade, take } = asked;
  const response = await handler(request, asksForSocket(request) ? { ...peer, upgrade } : peer);
  return take(response, connection) ? null : response;
}

/**
 * Writes a response (RFC 9112) and ends the connection, which marks the end of the body, since that
 * may be a stream.
 */
async function refuse(
  connection: Duplex,
  { status, headers: given, body }: Response,
  signal: AbortSignal,
): Promise<void> {
  const headers = new Headers(given);
  headers.set("connection", "close");
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines, "", ""].join("\r\n");
  connection.once("end", () => connection.destroy()).resume(); // later bytes are discarded
  connection.write(head);
  if (body === null) return void connection.end();
  await body.pipeTo(
    new WritableStream<Uint8Array>({
      write: (piece) =>
        new Promise((sent, failed) =>
          connection.write(piece, (error) => error ? failed(error) : sent())
        ),
      close: () => void connection.end(),
    }),
    { signal },
  );
}
