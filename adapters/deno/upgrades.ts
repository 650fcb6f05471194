import type { MessageSocket, SocketBounds, Upgrade } from "../../lib/ports/web-sockets.ts";
import { asksForSocket } from "../node/listening.ts";
import { CLOSE_MS, closeReason, mostWaiting, SocketInbox } from "../node/socket-inbox.ts";
import { cutOff } from "./cut-off.ts";

/** The connections that requests were answered by. */
export interface Upgrades {
  /** How a request can be answered by one; `undefined` where it asks for none. */
  of(request: Request): ((bounds: SocketBounds) => Upgrade) | undefined;
  /** Ends all of them. */
  end(): void;
}

/** WebSockets of Deno's own server. */
export function createUpgrades(): Upgrades {
  const open = new Set<WebSocket>();
  return {
    of(request) {
      return asksForSocket(request) ? (bounds) => upgraded(request, bounds, open) : undefined;
    },
    end() {
      for (const socket of open) if (!cutOff(socket)) socket.close(1001);
    },
  };
}

function upgraded(request: Request, bounds: SocketBounds, open: Set<WebSocket>): Upgrade {
  const idleTimeout = Math.max(1, Math.round(bounds.idleMs / 1000));
  const { socket, response } = Deno.upgradeWebSocket(request, { idleTimeout });
  open.add(socket);
  const messages = messageSocketOf(socket, bounds);
  messages.ended.then(() => open.delete(socket));
  const opened = new Promise<MessageSocket | null>((resolve) => {
    socket.addEventListener("open", () => resolve(messages));
    messages.ended.then(() => resolve(null));
  });
  return { response, socket: opened };
}

/** A standard WebSocket as a port's. */
function messageSocketOf(
  socket: WebSocket,
  { maxMessageBytes, idleMs }: SocketBounds,
): MessageSocket {
  const inbox = new SocketInbox(maxMessageBytes);
  socket.binaryType = "arraybuffer";
  let [isHeard, isDropped] = [false, false];
  const within = (ms: number, end: () => void) => {
    const ending = setTimeout(end, ms);
    inbox.ended.then(() => clearTimeout(ending));
  };
  const close = (code = 1000, reason = "") => {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.close(code, closeReason(reason));
    within(CLOSE_MS, () => cutOff(socket));
  };
  socket.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (isDropped || socket.readyState !== WebSocket.OPEN) return; // what was under way
    isHeard = true;
    const message = data instanceof ArrayBuffer ? new Uint8Array(data) : String(data);
    // Deno takes 64 MiB; text is counted as it is held, in characters.
    if (message.length > maxMessageBytes) close(1009, "the message is too large");
    else if (!inbox.push(message)) close(1008, "messages are not read as fast as they come");
  };
  socket.onclose = ({ code, reason }) => inbox.finish({ code, reason });
  socket.onerror = () => inbox.finish({ code: 1006, reason: "" });
  return {
    send(message) {
      if (socket.readyState !== WebSocket.OPEN) return;
      socket.send(message);
      if (socket.bufferedAmount > mostWaiting(maxMessageBytes)) close(1008, "nothing is read");
    },
    receive: () => inbox.receive(),
    ended: inbox.ended,
    close,
    drop() {
      if (cutOff(socket)) return;
      if (isHeard) return close();
      // It may be at a message that never ends: a close that is not answered switches the pings off, and
      // what has come of the message would be kept.
      isDropped = true;
      within(2 * idleMs, close);
    },
  };
}
