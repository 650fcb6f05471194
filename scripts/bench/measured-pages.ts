import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { isRecord } from "../../lib/core/json.ts";
import { packageRoot } from "../shared/runtime.ts";

/** What `pages/meter.js` has measured of a page. */
export interface MeasuredPage {
  /** Milliseconds from the navigation to the first frame that is really drawn. */
  readonly startMs: number;
  /** Milliseconds that the main thread was busy with each frame. */
  readonly busyMs: readonly number[];
  /** A few colours of the first frame, as red, green and blue in turn. */
  readonly thumbnail: readonly number[];
}

/** What is measured, and with what. */
export interface Measuring {
  /** The browser's program. */
  readonly browser: string;
  /** An empty folder for what it writes; it is removed. */
  readonly profile: string;
  /** The folder that is served. */
  readonly folder: string;
  /** Pages of it, opened one after the other. */
  readonly pages: readonly string[];
  /** Frames that are measured of each, and those before them that are not. */
  readonly frames: number;
  readonly warm: number;
  readonly onPage: (done: number) => void;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
};
const METER = "/meter.js";

/** Opens pages in one browser without a window, each with the meter before its scripts. */
export async function measurePages(measuring: Measuring): Promise<readonly MeasuredPage[]> {
  const { folder, pages, frames, warm, onPage } = measuring;
  const measured: MeasuredPage[] = [];
  let isDone = () => {};
  const all = new Promise<void>((resolve) => isDone = resolve);
  const meter = readFileSync(join(packageRoot(), "scripts", "bench", "pages", "meter.js"));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname);
    if (request.method === "POST") {
      measured.push(measuredIn(await textOf(request)));
      onPage(measured.length);
      const next = pages[measured.length];
      response.end(JSON.stringify({ next: next === undefined ? null : `/${next}` }));
      if (next === undefined) isDone();
      return;
    }
    const bytes = path === METER ? meter : readFileSync(join(folder, path));
    const type = TYPES[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream";
    // Nothing is kept: every page starts as the first one did.
    response.writeHead(200, { "content-type": type, "cache-control": "no-store" });
    if (!path.endsWith(".html")) return void response.end(bytes);
    const script = `<head><script src="${METER}?frames=${frames}&warm=${warm}"></script>`;
    response.end(bytes.toString().replace("<head>", script));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(404).end());
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const child = spawn(measuring.browser, [
    ...argumentsFor(measuring.profile),
    `http://127.0.0.1:${port}/${pages[0]}`,
  ], { stdio: "ignore", detached: true }); // its own group, so that all of it can be ended
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  try {
    await Promise.race([all, ended]);
    if (measured.length === pages.length) return measured;
    throw new Error(`${measuring.browser} ended before all was measured`);
  } finally {
    endGroup(child);
    await ended;
    server.closeAllConnections();
    server.close();
    await removed(measuring.profile);
  }
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

function argumentsFor(profile: string): readonly string[] {
  return [
    "--headless=new",
    "--no-sandbox",
    `--user-data-dir=${profile}`,
    "--window-size=480,270",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--force-device-scale-factor=1",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--mute-audio",
  ];
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

function measuredIn(text: string): MeasuredPage {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || typeof value["startMs"] !== "number") {
    throw new TypeError(`A page told ${text.slice(0, 200)}, expected what the meter measures`);
  }
  return {
    startMs: value["startMs"],
    busyMs: numbersIn(value["busyMs"]),
    thumbnail: numbersIn(value["thumbnail"]),
  };
}

function numbersIn(list: unknown): readonly number[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === "number") : [];
}
