import { createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** One answer as it is sent, truthful or not. Plain data, so that it can be recorded. */
export interface Answer {
  /** Default 200. */
  readonly status?: number;
  /** Besides `Content-Length`, `Connection` and the cross-origin rule. */
  readonly headers?: Readonly<Record<string, string>>;
  /** base64 of the body; default empty. */
  readonly body?: string;
  /** A false `Content-Length`. */
  readonly length?: number;
  /** `false`: without the header that lets a page of another origin read. */
  readonly cors?: boolean;
  /**
   * What happens after the body. `whole`: the answer ends correctly. `cut`: the connection ends.
   * `reset`: it ends before the first byte of the answer. `hang`: no more bytes, for ever.
   * `silent`: not even an answer. `endless`: the body again and again, without a `Content-Length`.
   * `trickle`: a byte now and then, for ever.
   */
  readonly ending?: "whole" | "cut" | "reset" | "hang" | "silent" | "endless" | "trickle";
}

/** An answer with that text. */
export function textAnswer(text: string | Uint8Array, more: Omit<Answer, "body"> = {}): Answer {
  return { ...more, body: Buffer.from(text).toString("base64") };
}

/** The bytes of an answer's body. */
export function bodyOf({ body = "" }: Answer): Uint8Array {
  return new Uint8Array(Buffer.from(body, "base64"));
}

/** The page with which a hotel's network answers every request. */
export const PORTAL: Answer = textAnswer("<!doctype html><title>Sign in</title>", {
  headers: { "content-type": "text/html" },
});

/** Answers a path (with its leading slash); `undefined` is a plain 404. */
export type Routes = (path: string) => Answer | undefined | Promise<Answer | undefined>;

/** A server whose misbehaviour a test chooses. */
export interface HostileServer {
  /** Without a slash at the end. */
  readonly origin: string;
  /** The requested paths. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** Serves on sockets of its own: an HTTP library would keep its answers honest. */
export async function startHostileServer(routes: Routes): Promise<HostileServer> {
  const open = new Set<Socket>();
  const requests: string[] = [];
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    let head = "";
    socket.on("data", (chunk) => {
      head += chunk.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      const [method = "", path = ""] = head.split(" ");
      head = "";
      requests.push(path);
      void serve(socket, method, async () => await routes(path) ?? { status: 404 })
        .catch(() => socket.destroy());
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const socket of open) socket.destroy();
      }),
  };
}

async function serve(
  socket: Socket,
  method: string,
  find: () => Promise<Answer>,
): Promise<void> {
  const answer = await find();
  const { ending = "whole" } = answer;
  if (ending === "silent") return;
  if (ending === "reset") {
    socket.destroy();
    return;
  }
  const body = bodyOf(answer);
  const unending = ending === "endless" || ending === "trickle";
  const headers = {
    ...(answer.cors !== false && { "access-control-allow-origin": "*" }),
    ...(!unending && { "content-length": String(answer.length ?? body.length) }),
    ...answer.headers,
    "connection": "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`HTTP/1.1 ${answer.status ?? 200} Whatever\r\n${lines}\r\n`);
  if (method === "HEAD" || method === "OPTIONS") {
    socket.end();
    return;
  }
  socket.write(body);
  if (ending === "whole" || ending === "cut") socket.end();
  while (ending === "endless" && !socket.destroyed) {
    socket.write(body);
    await wait(2); // faster, it would only measure how much an engine can swallow
  }
  while (ending === "trickle" && !socket.destroyed) {
    await wait(10);
    if (!socket.destroyed) socket.write(" ");
  }
}
