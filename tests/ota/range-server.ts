import { createServer, type Socket } from "node:net";

// A server whose every answer is written out by the test, for what a download asks in turn.

/** A request as it came. */
export interface Asked {
  readonly path: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer, true or false. */
export interface Reply {
  /** Default 200. */
  readonly status?: number;
  /** Besides `Connection`, and `Content-Length` where there is none of `length` or here. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** What `Content-Length` says; `null`: there is none. Default the truth. */
  readonly length?: number | null;
  /** After the body the connection ends (default), or nothing comes any more. */
  readonly ending?: "close" | "hang" | "endless";
  /** What is waited for before the ending. */
  readonly after?: Promise<unknown>;
  /** What comes before the answer, as it goes over the wire: interim answers. */
  readonly before?: string;
  /**
   * Nothing is answered: nothing comes at all, the connection ends, or header after header comes,
   * or hint after hint.
   */
  readonly silent?: "hang" | "close" | "headers" | "hints";
}

/** What a server sends while it still makes its answer (RFC 8297). */
export const EARLY_HINTS = [
  "HTTP/1.1 103 Early Hints",
  "link: </game.css>; rel=preload; as=style",
  "link: </game.js>; rel=preload; as=script",
  "",
  "",
].join("\r\n");

/** Answers the n-th request, from 1. */
export type Script = (asked: Asked, n: number) => Reply;

/** The server. */
export interface RangeServer {
  /** Without a slash at the end. */
  readonly origin: string;
  readonly asked: readonly Asked[];
  /**
   * When every connection that a request came on is closed. (Node's `fetch` opens another one when a
   * request is aborted, and never uses it.)
   */
  readonly idle: () => Promise<void>;
  close(): Promise<void>;
}

/** Starts it on a port of its own. */
export async function startRangeServer(script: Script): Promise<RangeServer> {
  const open = new Set<Socket>();
  const busy = new Set<Socket>();
  const asked: Asked[] = [];
  let onIdle: (() => void)[] = [];
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => {
      open.delete(socket);
      if (!busy.delete(socket) || busy.size > 0) return;
      for (const resolve of onIdle) resolve();
      onIdle = [];
    });
    socket.on("error", () => socket.destroy());
    let head = "";
    socket.on("data", (chunk) => {
      head += chunk.toString("latin1");
      if (!head.endsWith("\r\n\r\n")) return;
      const request = parse(head);
      asked.push(request);
      busy.add(socket);
      answer(socket, script(request, asked.length)).catch(() => socket.destroy());
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    idle: () => busy.size === 0 ? Promise.resolve() : new Promise((idle) => onIdle.push(idle)),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const socket of open) socket.destroy();
      }),
  };
}

function parse(head: string): Asked {
  const [line = "", ...fields] = head.trimEnd().split("\r\n");
  const headers = fields.map((field) => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
  });
  return { path: line.split(" ")[1] ?? "", headers: Object.fromEntries(headers) };
}

async function answer(socket: Socket, reply: Reply): Promise<void> {
  if (reply.silent === "close") socket.destroy();
  if (reply.silent === "headers") socket.write("HTTP/1.1 200 Whatever\r\n");
  while ((reply.silent === "headers" || reply.silent === "hints") && !socket.destroyed) {
    socket.write(reply.silent === "hints" ? EARLY_HINTS.repeat(100) : "x-more: to come\r\n");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (reply.silent) return;
  socket.write(reply.before ?? "");
  const { status = 200, body = new Uint8Array(), ending = "close" } = reply;
  const length = reply.length === undefined && ending !== "endless" ? body.length : reply.length;
  const headers = {
    ...(typeof length === "number" && { "content-length": String(length) }),
    ...reply.headers,
    "connection": "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`HTTP/1.1 ${status} Whatever\r\n${lines}\r\n`);
  socket.write(body);
  await reply.after;
  if (ending === "close") socket.end();
  while (ending === "endless" && !socket.destroyed) {
    socket.write(body);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
