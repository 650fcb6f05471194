import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { freePort } from "../../scripts/gate/run-store.ts";
import { until } from "./until.ts";

// The part of W3C WebDriver that a test needs which opens a page and runs a script in it.

/** A browser, driven by its own driver. */
export interface DriverOptions {
  /** The driver's program, which gets its port as `--port=N`. */
  readonly driver: string;
  /** The W3C capabilities. `{profile}` in any text is replaced by a fresh folder. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs in each page before its own scripts, in Chromium. */
  readonly before?: string;
}

/** A page that is open. */
export interface Page {
  navigate(url: string): Promise<void>;
  /** Runs a script's body; the script ends when it calls its last argument with the answer. */
  executeAsync(script: string, args: readonly unknown[]): Promise<unknown>;
  /** Acts as a person would, with real input: the action sequences of W3C WebDriver §15. */
  perform(sequences: readonly unknown[]): Promise<void>;
  /** Hides the page, as switching to another app does. */
  minimize(): Promise<void>;
  /** Shows it again. */
  restore(): Promise<void>;
  /**
   * Returns the console's warnings and errors since the last call, if the driver reports them
   * (Chromium's does); none about how fast this machine draws.
   */
  complaints(): Promise<readonly string[]>;
}

/** Runs `work` with a browser of its own, which is removed afterwards with everything it wrote. */
export async function withBrowser<T>(
  { driver, capabilities, env, before }: DriverOptions,
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const profile = mkdtempSync(join(tmpdir(), "slipway-browser-"));
  const { base, child } = await startDriver(driver, {
    ...process.env,
    ...env,
    HOME: profile,
    XDG_CACHE_HOME: profile,
  });
  let session: string | undefined;
  try {
    const text = JSON.stringify({ alwaysMatch: capabilities }).replaceAll("{profile}", profile);
    const opened = await send("POST", `${base}/session`, { capabilities: JSON.parse(text) });
    session = `${base}/session/${String(member(opened, "sessionId"))}`;
    const at = session;
    await send("POST", `${at}/timeouts`, { script: SCRIPT_MS, pageLoad: SCRIPT_MS });
    if (before !== undefined) {
      await send("POST", `${at}/goog/cdp/execute`, {
        cmd: "Page.addScriptToEvaluateOnNewDocument",
        params: { source: before },
      });
    }
    return await work({
      navigate: async (url) => void await send("POST", `${at}/url`, { url }),
      executeAsync: (script, args) => send("POST", `${at}/execute/async`, { script, args }),
      perform: async (actions) => void await send("POST", `${at}/actions`, { actions }),
      minimize: async () => void await send("POST", `${at}/window/minimize`, {}),
      restore: async () =>
        void await send("POST", `${at}/window/rect`, { width: 800, height: 600 }),
      complaints: async () => {
        const reported = await send("POST", `${at}/se/log`, { type: "browser" });
        return (Array.isArray(reported) ? reported : []).map((one) =>
          String(member(one, "message"))
        )
          .filter((message) => !OF_THE_MACHINE.test(message));
      },
    });
  } finally {
    if (session !== undefined) await send("DELETE", session).catch(() => undefined);
    await stop(child);
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs `work` with an invisible X display; its name has the form of `DISPLAY`. */
export async function withDisplay<T>(
  xvfb: string,
  work: (display: string) => Promise<T>,
): Promise<T> {
  const args = ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"];
  const child = spawn(xvfb, args, { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const number = await new Promise<string>((resolve, reject) => {
      child.stdout.once("data", (chunk) => resolve(String(chunk).trim()));
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`${xvfb} ended with ${code}`)));
    });
    return await work(`:${number}`);
  } finally {
    await stop(child);
  }
}

/** Messages about the drawing speed of this machine. */
const OF_THE_MACHINE = /GL Driver Message \(OpenGL, Performance/;

/** A bound for hanging scripts rather than a deadline: test machines are shared. */
const SCRIPT_MS = 600_000;

async function send(method: string, url: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  const value = member(await response.json(), "value");
  if (!response.ok) {
    throw new Error(`${method} ${url}: ${member(value, "error")}: ${member(value, "message")}`);
  }
  return value;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Starts a driver on a free port, and on another if a different program takes that port first. */
async function startDriver(driver: string, env: NodeJS.ProcessEnv) {
  for (let tries = 0; tries < 5; tries++) {
    const port = await freePort();
    const child = spawn(driver, [`--port=${port}`], { env, stdio: "ignore" });
    const base = `http://127.0.0.1:${port}`;
    if (await comesUp(base, child)) return { base, child };
  }
  throw new Error(`${driver} did not come up`);
}

async function comesUp(base: string, child: ChildProcess): Promise<boolean> {
  let ended = false;
  child.once("error", () => ended = true);
  child.once("exit", () => ended = true);
  await until(
    "the driver answers or has ended",
    async () => ended || await fetch(`${base}/status`).then((r) => r.json()).catch(() => null),
  );
  return !ended;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill();
  const late = setTimeout(() => child.kill("SIGKILL"), 3_000);
  await ended;
  clearTimeout(late);
}
