import { type RawData, WebSocket } from "ws";
import type { MessageSocket, SocketBounds } from "../../lib/ports/web-sockets.ts";
import { CLOSE_MS, closeReason, mostWaiting, SocketInbox } from "./socket-inbox.ts";

/** A connection of `ws` as a port's; the library itself bounds its messages. */
export function messageSocketOf(
  socket: WebSocket,
  { maxMessageBytes, idleMs }: SocketBounds,
): MessageSocket {
  const inbox = new SocketInbox(maxMessageBytes);
  let isAlive = true;
  const heartbeat = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, idleMs);
  const alive = () => isAlive = true;
  const close = (code = 1000, reason = "") => {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.close(code, closeReason(reason));
    const closing = setTimeout(() => socket.terminate(), CLOSE_MS);
    socket.once("close", () => clearTimeout(closing));
  };
  socket.on("pong", alive);
  socket.on("message", (data, isBinary) => {
    alive();
    if (socket.readyState !== WebSocket.OPEN) return; // ignored after the close
    const bytes = bytesOf(data);
    const message = isBinary ? bytes : new TextDecoder().decode(bytes);
    if (!inbox.push(message)) close(1008, "messages are not read as fast as they come");
  });
  let failed: number | null = null;
  // An error is reported as the close code that `ws` sends for it.
  socket.on("error", (error) => failed = closeCodeOf(error));
  socket.on("close", (code, reason) => {
    clearInterval(heartbeat);
    inbox.finish({ code: failed ?? code, reason: reason.toString() });
  });
  return {
    send(message) {
      if (socket.readyState !== WebSocket.OPEN) return;
      socket.send(message);
      if (socket.bufferedAmount > mostWaiting(maxMessageBytes)) socket.terminate();
    },
    receive: () => inbox.receive(),
    ended: inbox.ended,
    close,
    drop: () => socket.terminate(),
  };
}

/** The code that a connection was ended with for a broken rule of the protocol. */
function closeCodeOf(error: Error): number | null {
  const code = "code" in error ? error.code : undefined;
  return code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH" ? 1009 : null;
}

function bytesOf(data: RawData): Uint8Array<ArrayBuffer> {
  if (Array.isArray(data)) return new Uint8Array(Buffer.concat(data));
  return new Uint8Array(data instanceof ArrayBuffer ? data : Uint8Array.from(data));
}
