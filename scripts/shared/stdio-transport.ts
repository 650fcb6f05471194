import { PassThrough, type Readable, type Writable } from "node:stream";
import { setTimeout } from "node:timers";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

/** The dependencies of {@linkcode createStdioTransport}. */
export interface StdioOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** How long calls that are running when `stdin` ends may take, in milliseconds. */
  readonly finishMs: number;
  /** Called after the last answer. */
  readonly onEnd: () => void;
}

/**
 * Creates MCP over standard input and output that answers all requests before it ends. The SDK's
 * own drops running calls when its input ends: `printf … | slipway mcp` would print next to
 * nothing.
 */
export function createStdioTransport(
  { stdin, stdout, finishMs, onEnd }: StdioOptions,
): Transport {
  const input = new PassThrough();
  const wire = new StdioServerTransport(input, stdout);
  const unanswered = new Set<unknown>();
  let ended = false;
  const endWhenAnswered = () => {
    if (ended && unanswered.size === 0) input.end();
  };
  stdin.pipe(input, { end: false });
  for (const name of ["end", "close"] as const) {
    stdin.once(name, () => {
      ended = true;
      setTimeout(() => input.end(), finishMs).unref();
      setImmediate(endWhenAnswered); // reads the last message before
    });
  }
  const answered = (id: unknown) => {
    unanswered.delete(id);
    endWhenAnswered();
  };
  const transport: Transport = {
    async start() {
      wire.onmessage = (message: JSONRPCMessage) => {
        // A subscription is answered when it ends.
        if (isJSONRPCRequest(message) && message.method !== "subscriptions/listen") {
          unanswered.add(message.id);
        }
        transport.onmessage?.(message);
        const isCancel = isJSONRPCNotification(message) &&
          message.method === "notifications/cancelled";
        if (isCancel) answered(message.params?.["requestId"]);
      };
      wire.onerror = (error) => transport.onerror?.(error);
      wire.onclose = () => {
        transport.onclose?.();
        onEnd();
      };
      await wire.start();
    },
    async send(message) {
      try {
        await wire.send(message);
      } finally {
        if (!("method" in message)) answered(message.id);
      }
    },
    close: () => wire.close(),
  };
  return transport;
}
