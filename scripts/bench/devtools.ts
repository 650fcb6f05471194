import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { isRecord } from "../../lib/core/json.ts";

// The part of Chromium's DevTools protocol that is used here.

/** Fields of a message. */
export type Fields = Readonly<Record<string, unknown>>;

/** A browser that answers over the protocol. */
export interface DevtoolsBrowser {
  /** Its port on this machine. */
  readonly port: number;
  /** Opens an empty page in a context of its own: no shared cookies, cache or workers. */
  openPage(): Promise<DevtoolsPage>;
}

/** A page of a browser. */
export interface DevtoolsPage {
  /** @throws {Error} With the browser's refusal. */
  send(method: string, params?: Fields): Promise<Fields>;
  /** Called with each event of that name. */
  on(event: string, call: (params: Fields) => void): void;
  /** Ends it, and removes its data. */
  close(): Promise<void>;
}

/** Runs `work` with a new browser, and removes its files afterwards. */
export async function withDevtools<T>(
  program: string,
  args: readonly string[],
  work: (browser: DevtoolsBrowser) => Promise<T>,
): Promise<T> {
  const profile = mkdtempSync(join(tmpdir(), "slipway-browser-"));
  const own = ["--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"];
  const child = spawn(program, [...args, ...own], {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true, // its own group, so that all of it can be ended
  });
  const end = () => endGroup(child); // an interrupted benchmark leaves no browser behind
  process.once("exit", end);
  const ended = new Promise((resolve) => {
    child.once("close", resolve);
    child.once("error", resolve);
  });
  try {
    const address = await addressOf(child, program);
    const socket = new WebSocket(address);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error(`Cannot connect to ${program}`));
    });
    try {
      return await work({ ...browserOver(socket), port: Number(new URL(address).port) });
    } finally {
      socket.close();
    }
  } finally {
    process.off("exit", end);
    endGroup(child);
    await ended;
    await removed(profile);
  }
}

function addressOf(child: ChildProcess, program: string): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stderr === null) return;
    const lines = createInterface(child.stderr);
    lines.on("line", (line) => {
      const [, url] = /^DevTools listening on (ws:\S+)/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
    lines.once("close", () => reject(new Error(`${program} ended before it listened`)));
  });
}

function browserOver(socket: WebSocket): Omit<DevtoolsBrowser, "port"> {
  const waiting = new Map<number, (answer: Fields) => void>();
  const listeners = new Set<{
    readonly session: unknown;
    readonly event: string;
    readonly call: (params: Fields) => void;
  }>();
  let last = 0;
  socket.onmessage = ({ data }) => {
    const message: unknown = JSON.parse(String(data));
    if (!isRecord(message)) return;
    const { id, method, params, sessionId } = message;
    if (typeof id === "number") waiting.get(id)?.(message);
    for (const { session, event, call } of listeners) {
      if (event === method && session === sessionId && isRecord(params)) call(params);
    }
  };
  // Pending requests would otherwise wait for ever.
  socket.onclose = () => {
    for (const answer of waiting.values()) answer({ error: "the browser has ended" });
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
  return {
    async openPage() {
      const { browserContextId } = await sendTo({}, "Target.createBrowserContext", {});
      const created = { url: "about:blank", browserContextId };
      const { targetId } = await sendTo({}, "Target.createTarget", created);
      const attached = { targetId, flatten: true };
      const { sessionId } = await sendTo({}, "Target.attachToTarget", attached);
      return {
        send: (method, params = {}) => sendTo({ sessionId }, method, params),
        on: (event, call) => void listeners.add({ session: sessionId, event, call }),
        async close() {
          await sendTo({}, "Target.disposeBrowserContext", { browserContextId });
          for (const one of listeners) if (one.session === sessionId) listeners.delete(one);
        },
      };
    },
  };
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

/** Its processes may still write while they end. */
async function removed(folder: string): Promise<void> {
  for (let tries = 1;; tries++) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (thrown) {
      if (tries === 50) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
