import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord } from "../../lib/core/json.ts";

// As much of Chromium's DevTools protocol as a test needs that answers the requests of a page itself.

/** What a message holds. */
export type Fields = Readonly<Record<string, unknown>>;

/** A page of a browser. */
export interface DevtoolsPage {
  /** @throws {Error} With what the browser refuses. */
  send(method: string, params?: Fields): Promise<Fields>;
  /** Called with each event of that name. */
  on(event: string, call: (params: Fields) => void): void;
}

/** Runs `work` with a browser of its own, which is gone afterwards with all that it wrote. */
export async function withDevtools<T>(
  program: string,
  args: readonly string[],
  work: (page: DevtoolsPage) => Promise<T>,
): Promise<T> {
  const profile = mkdtempSync(join(tmpdir(), "slipway-browser-"));
  const own = ["--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"];
  const child = spawn(program, [...args, ...own], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  try {
    const address = await new Promise<string>((resolve, reject) => {
      const lines = createInterface(child.stderr);
      lines.on("line", (line) => {
        const [, url] = /^DevTools listening on (ws:\S+)/.exec(line) ?? [];
        if (url !== undefined) resolve(url);
      });
      lines.once("close", () => reject(new Error(`${program} ended before it listened`)));
    });
    const socket = new WebSocket(address);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error(`Cannot connect to ${address}`));
    });
    try {
      return await work(await openPage(socket));
    } finally {
      socket.close();
    }
  } finally {
    child.kill();
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function openPage(socket: WebSocket): Promise<DevtoolsPage> {
  const waiting = new Map<number, (answer: Fields) => void>();
  const listeners: { readonly event: string; readonly call: (params: Fields) => void }[] = [];
  let last = 0;
  socket.onmessage = ({ data }) => {
    const message: unknown = JSON.parse(String(data));
    if (!isRecord(message)) return;
    const { id, method, params } = message;
    if (typeof id === "number") waiting.get(id)?.(message);
    for (const { event, call } of listeners) {
      if (event === method && isRecord(params)) call(params);
    }
  };
  const sendTo = async (session: Fields, method: string, params: Fields): Promise<Fields> => {
    const id = ++last;
    const answered = new Promise<Fields>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ ...session, id, method, params }));
    const { result, error } = await answered;
    waiting.delete(id);
    if (!isRecord(result)) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const { targetId } = await sendTo({}, "Target.createTarget", { url: "about:blank" });
  const { sessionId } = await sendTo({}, "Target.attachToTarget", {
    targetId,
    flatten: true,
  });
  return {
    send: (method, params = {}) => sendTo({ sessionId }, method, params),
    on: (event, call) => void listeners.push({ event, call }),
  };
}
