import { WebSocket } from "ws";
import { fail, type Failure, ok, type Result } from "../../lib/core/result.ts";
import type {
  ConnectFailureCode,
  ConnectOptions,
  MessageSocket,
  WebSockets,
} from "../../lib/ports/web-sockets.ts";
import { messageSocketOf } from "./message-socket.ts";

/** Default deadline of an attempt, in milliseconds. */
const CONNECT_MS = 10_000;

/**
 * Creates the WebSockets of `ws`: Node 20 has none, and Deno's neither report the status of a
 * refusal nor bound messages.
 */
export function createWebSockets(): WebSockets {
  return { connect };
}

function connect(
  url: string,
  { signal, timeoutMs = CONNECT_MS, ...bounds }: ConnectOptions,
): Promise<Result<MessageSocket, Failure<ConnectFailureCode>>> {
  const where = `Cannot connect to ${url}`;
  if (signal?.aborted) return Promise.resolve(fail("cancelled", `${where}: it was cancelled`));
  return new Promise((resolve) => {
    const socket = new WebSocket(url, {
      maxPayload: bounds.maxMessageBytes,
      handshakeTimeout: timeoutMs,
      perMessageDeflate: false,
      followRedirects: false,
    });
    const cancel = () => {
      end(fail("cancelled", `${where}: it was cancelled`));
      socket.terminate();
    };
    const end = (result: Result<never, Failure<ConnectFailureCode>>) => {
      signal?.removeEventListener("abort", cancel);
      resolve(result);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    socket.on("unexpected-response", (asked, { statusCode }) => {
      end(fail("refused", `${where}: found HTTP status ${statusCode}, expected 101`));
      asked.destroy();
    });
    socket.on("error", ({ message }) => end(fail("unreachable", `${where}: ${message}`)));
    socket.once("close", () => signal?.removeEventListener("abort", cancel));
    socket.once("open", () => resolve(ok(messageSocketOf(socket, bounds))));
  });
}
