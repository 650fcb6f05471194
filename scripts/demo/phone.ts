import { decodeUtf8, encodeUtf8, readAtMost } from "../../lib/core/bytes.ts";
import { isRecord } from "../../lib/core/json.ts";
import { parseJson } from "../../lib/core/json-text.ts";
import { checkPath } from "../../lib/core/paths.ts";
import { type Failure, messageOf, ok, type Result } from "../../lib/core/result.ts";
import { createDevice, type Device } from "../../lib/ota-device/mod.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import type { loadServe } from "../shared/runtime.ts";
import { bridgeScript } from "./bridge.ts";
import { mediaTypeOf } from "./media-types.ts";
import { isOfOwnPage } from "./own-page.ts";

// A phone without hardware: the reference device, and the server of its app's web view. Any page
// opened there is the app's, and reaches the device as it would reach the plugin.

/** The longest that a page may ask, in bytes: a manifest is in it. */
const MAX_ASKED_BYTES = 16 * 1024 * 1024;
/** The largest file of a game here, in bytes. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Operations of the plugin. */
const OPERATIONS = [
  "stageUpdate",
  "stageUpdateDelta",
  "activate",
  "confirmBoot",
  "revert",
  "getState",
  "acceptSequence",
  "readManifest",
];

/** Result of a launch. */
export interface LaunchOutcome {
  /** Why the game could not start; `null` if its first frame was shown and the launch confirmed. */
  readonly failure: string | null;
  /** Result of its update check: the `result` of a `CheckResult`. */
  readonly update: string;
}

/** The app, opened once. */
export interface Launch {
  /** The version that is served, or `embedded`. */
  readonly serves: string;
  /**
   * Resolves when the page has confirmed the launch or reported a failure, and has checked for an
   * update.
   */
  readonly ended: Promise<LaunchOutcome>;
}

/** An app on a phone. */
export interface Phone {
  readonly device: Device;
  /** The address of the web view's pages, without a slash at the end: one origin for all versions. */
  readonly url: string;
  /** Opens the app: further pages are of the version that the device decided to serve. */
  launch(): Promise<Launch>;
  close(): Promise<void>;
}

/** Parts of a phone. */
export interface PhoneOptions {
  readonly runtime: Runtime;
  readonly serve: Awaited<ReturnType<typeof loadServe>>;
  /** The bundle's name. */
  readonly name: string;
  /** The app-private folder. */
  readonly root: string;
  /** The bundle inside the app binary. */
  readonly embedded: string;
}

/** Switches a phone on. */
export async function startPhone(
  { runtime, serve, name, root, embedded }: PhoneOptions,
): Promise<Result<Phone, Failure>> {
  const { files } = runtime;
  const device = createDevice({ ...runtime, root, embedded });
  let running: RunningApp = { number: 0, folder: "", script: "", tell: () => null };
  const plugin = async (asked: Asked): Promise<unknown> => {
    const { number, tell } = running;
    const { method, request } = asked;
    if (method === "console") return asked.launch === number ? tell(consoleOf(request)) : null;
    const operation: unknown = OPERATIONS.includes(method)
      ? Reflect.get(device, method)
      : undefined;
    if (typeof operation !== "function") throw new TypeError(`the plugin has no ${method}`);
    // Validates every request (NAT-1), even what types forbid.
    const answer: unknown = await operation.call(device, request);
    if (method === "confirmBoot" && asked.launch === number) tell({ kind: "confirmed" });
    return answer ?? null;
  };
  const server = await serve(async (request) => {
    const { pathname } = new URL(request.url);
    const path = decodeURIComponent(pathname).slice(1) || "index.html";
    if (request.method === "POST") return await answerPage(request, plugin);
    if (path === "bridge.js") {
      return fileResponse(path, encodeUtf8(`${running.script}\n${bridgeScript(running.number)}`));
    }
    const bytes = running.folder !== "" && checkPath(path).ok
      ? await files.read(`${running.folder}/${path}`, MAX_FILE_BYTES)
      : null;
    if (bytes === null) return new Response(null, { status: 404 });
    return fileResponse(path, path === "index.html" ? withBridge(bytes) : bytes);
  }, { hostname: "127.0.0.1", port: 0 });
  if (!server.ok) return server;
  return ok({
    device,
    url: server.value.url,
    async launch() {
      const { target, script } = await device.launch({ name, binaryVersion: "1" });
      const folder = device.folderOf(name, target) ?? "";
      const { outcome, tell } = followLaunch();
      running = { number: running.number + 1, folder, script, tell };
      return { serves: target.kind === "embedded" ? "embedded" : target.version, ended: outcome };
    },
    close: () => server.value.close(),
  });
}

interface RunningApp {
  readonly number: number;
  readonly folder: string;
  /** Script that its page runs first (NAT-7). */
  readonly script: string;
  readonly tell: (event: AppEvent) => null;
}

/** Messages from a page to its app. */
type AppEvent =
  | { readonly kind: "confirmed" }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "checked"; readonly result: string }
  | { readonly kind: "other" };

function followLaunch(): {
  readonly outcome: Promise<LaunchOutcome>;
  readonly tell: (event: AppEvent) => null;
} {
  let failure: string | null | undefined;
  let update: string | undefined;
  let end: (outcome: LaunchOutcome) => void = () => undefined;
  const outcome = new Promise<LaunchOutcome>((resolve) => end = resolve);
  const tell = (event: AppEvent) => {
    if (event.kind === "confirmed") failure ??= null;
    if (event.kind === "failed") failure ??= event.why;
    if (event.kind === "checked") update ??= event.result;
    if (failure !== undefined && update !== undefined) end({ failure, update });
    return null;
  };
  return { outcome, tell };
}

/** Parses a line of a page's console, where a game's runtime reports its progress. */
function consoleOf(request: unknown): AppEvent {
  if (!isRecord(request) || !Array.isArray(request["said"])) return { kind: "other" };
  const { level, said } = request;
  const [first, second] = Array.isArray(said) ? said.map(String) : [];
  if (level === "error") return { kind: "failed", why: first ?? "" };
  const checked = first === "update" ? parseJson(second ?? "") : undefined;
  return isRecord(checked)
    ? { kind: "checked", result: String(checked["result"]) }
    : { kind: "other" };
}

/** A request of a page to the plugin. */
interface Asked {
  readonly launch: number;
  readonly method: string;
  readonly request: unknown;
}

async function answerPage(
  request: Request,
  plugin: (asked: Asked) => Promise<unknown>,
): Promise<Response> {
  if (!isOfOwnPage(request)) return new Response(null, { status: 403 });
  const bytes = request.body === null ? null : await readAtMost(request.body, MAX_ASKED_BYTES);
  const asked = parseJson(bytes);
  if (!isRecord(asked)) return new Response(null, { status: 400 });
  const { launch, method } = asked;
  try {
    const value = await plugin({
      launch: Number(launch),
      method: String(method),
      request: asked["request"],
    });
    return Response.json({ value });
  } catch (thrown) {
    return Response.json({ error: messageOf(thrown) });
  }
}

function withBridge(page: Uint8Array): Uint8Array<ArrayBuffer> {
  const bridge = '<script src="./bridge.js"></script>';
  return encodeUtf8((decodeUtf8(page) ?? "").replace("<script", `${bridge}<script`));
}

function fileResponse(path: string, bytes: Uint8Array<ArrayBuffer>): Response {
  const headers = { "content-type": mediaTypeOf(path), "cache-control": "no-store" };
  return new Response(bytes, { headers });
}
