import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { isRecord, type JsonValue } from "../../lib/core/json.ts";
import type { Files } from "../../lib/ports/files.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { NO_COMPILER } from "../../scripts/gate/native.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { bundleApp } from "../support/app-client.ts";
import type { Skip } from "../support/needs.ts";
import type { NativeDevice } from "../support/native-device.ts";

// An app without a phone: a native core as a process, and a page that holds the game's shell with the
// client as it ships. What a plugin's bridge does, `/plugin/<operation>` does; what is in the web
// view is what the core decided to serve.

/** Why a native core cannot be built here; `false` when it can. @throws When its sources are at fault. */
export function skipWithout(core: "ios" | "android"): Skip {
  const program = join(packageRoot(), "native", core, "device");
  const { error, status, stderr } = spawnSync(program, {
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
  });
  if (status === 0) return false;
  if (status === NO_COMPILER) return stderr.trim();
  throw new Error(`${program} exited with ${status}, expected 0: ${error?.message ?? stderr}`);
}

/** Capacitor's bridge: calls of a plugin go to the native core, `/plugin/<operation>`. */
const CAPACITOR = `
  const call = async (operation, request) => {
    const answer = await fetch("/plugin/" + operation, { method: "POST", body: JSON.stringify(request) });
    const { value, error } = await answer.json();
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return value;
  };
  export const registerPlugin = () => new Proxy({}, { get: (_, operation) => operation === "addListener"
    ? async (event, listener) => {
        const events = new EventSource("/plugin/events");
        events.onmessage = ({ data }) => listener(JSON.parse(data));
        await new Promise((open) => events.onopen = open);
        return { remove: async () => events.close() };
      }
    : (request) => call(operation, request) });`;

/** The game's shell: the client as the package ships it, and the calls that a test makes. */
export function buildShell(): Promise<string> {
  const script = `
    import { SlipwayOta } from "slipway-ota";
    import { confirm, createAppUpdater } from "slipway-ota/client";
    const reported = [];
    globalThis.check = async (ota) => {
      let report;
      const result = new Promise((resolve) => report = resolve);
      const updater = createAppUpdater({ ota, onResult: report });
      updater.gate.subscribe((state) => state?.progress && reported.push(state.progress));
      const mayPlay = await updater.checkAppOtaUpdate();
      return { mayPlay, result: await result, reported };
    };
    globalThis.confirm = confirm;
    globalThis.state = () => SlipwayOta.getState({});`;
  return bundleApp(script, { format: "iife", capacitor: CAPACITOR });
}

/** A server of a test. */
export interface Served {
  /** Without a slash at the end. */
  readonly origin: string;
  close(): Promise<void>;
}

/** A bucket as a web server serves it. */
export function serveBucket(files: Files, folder: string): Promise<Served> {
  const handler = createStaticHandler(files, folder);
  return listen(async (request, response) => {
    const answer = await handler(new Request(`http://bucket.test${request.url}`));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(new Uint8Array(await answer.arrayBuffer()));
  });
}

/** What the app runs just now. */
export interface Running {
  readonly device: NativeDevice;
  /** What the web view shows. */
  readonly folder: string;
}

/** The app's own origin: the web view's files, and the bridge. */
export function serveApp(running: () => Running): Promise<Served> {
  return listen(async (request, response) => {
    const { device, folder } = running();
    const [path = "/"] = (request.url ?? "/").split("?");
    if (path === "/plugin/events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(":\n\n");
      const { remove } = await device.addListener(
        "otaProgress",
        (progress) => response.write(`data: ${JSON.stringify(progress)}\n\n`),
      );
      response.on("close", () => void remove());
      return;
    }
    if (path.startsWith("/plugin/")) {
      const asked: JsonValue = JSON.parse(await textOf(request));
      const answer = await device.ask(path.slice("/plugin/".length), asked).then(
        (value) => ({ value }),
        (thrown) => ({ error: { message: String(thrown), code: codeOf(thrown) } }),
      );
      return void response.end(JSON.stringify(answer));
    }
    if (path === "/favicon.ico") return void response.writeHead(404).end();
    const file = path === "/" ? "index.html" : path.slice(1);
    const type = extname(file) === ".html" ? "text/html" : "text/javascript";
    const served = readFileSync(join(folder, file));
    response.writeHead(200, { "content-type": type, "cache-control": "no-store" });
    response.end(served);
  });
}

function codeOf(thrown: unknown): unknown {
  return isRecord(thrown) ? thrown["code"] : undefined;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Served> {
  const server = createServer((request, response) => {
    answer(request, response).catch((thrown) => response.writeHead(500).end(String(thrown)));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
