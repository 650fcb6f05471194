import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { isJsonObject, type JsonObject, type JsonValue } from "../../lib/core/json.ts";
import { NO_COMPILER } from "../../scripts/gate/native.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { startLineProgram } from "./device-lines.ts";
import type { Skip } from "./needs.ts";
import { openOtaWorld, type OtaWorld } from "./ota-world.ts";
import { makeActive, update } from "./phone-life.ts";

// An iOS app with the plugin in it, over fakes of Capacitor, UIKit and WebKit (native/ios/phone): its life
// step by step, and a page's own JavaScript in each of its documents.

/** One step: a verb of native/ios/Fakes/Phone/App.swift, or one of the page (`runs`). */
export type Step = readonly [verb: string, ...words: JsonValue[]];

/** The settings of an app. */
export interface AppOptions {
  /** Info.plist. */
  readonly info?: JsonObject;
  /** `plugins.SlipwayOta` of capacitor.config. */
  readonly config?: JsonObject;
  readonly serverURL?: string;
  /** `server.errorPath`: one, unless the app has none. */
  readonly errorPath?: null;
  readonly plugins?: readonly string[];
}

/** A running app. */
export interface IosApp {
  /** The events so far, one line each. */
  readonly events: readonly string[];
  take(step: Step): Promise<JsonValue>;
  /** Calls an operation as the page of a window does. @throws The error that rejects the call. */
  call(window: string, operation: string, request: JsonObject): Promise<JsonObject>;
  /** The scripts that native code has put into a window's document. */
  scripts(window: string): readonly string[];
  /** The records of the device. */
  record(name: "state" | "launch"): JsonObject;
  kill(): Promise<void>;
}

/** `globalThis.slipwayLaunch` of a document. */
interface Launch {
  readonly name: string;
  readonly version: string;
  readonly token: string;
}

const program = join(packageRoot(), "native", "ios/phone");

/** Why there is no such app here; `false` when there is. @throws When its sources are at fault. */
export function skipWithoutIosApp(): Skip {
  const { error, status, stderr } = spawnSync(program, {
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
  });
  if (status === 0) return false;
  if (status === NO_COMPILER) return stderr.trim();
  throw new Error(`${program} exited with ${status}, expected 0: ${error?.message ?? stderr}`);
}

/** Files of phones, by their state: made once, and copied. */
export interface Phones {
  readonly world: OtaWorld;
  /** v1 is in use. */
  readonly settled: string;
  /** v1 is in use, v2 is staged. */
  readonly staged: string;
  /** v1 is in use, v2 is pending. */
  readonly trial: string;
}

const rootIn = (home: string) => join(home, "Library/NoCloud/slipway-ota");

/** Makes the phones' files, with the reference device. */
export async function makePhones(folder: string): Promise<Phones> {
  const world = await openOtaWorld(folder);
  const settled = join(folder, "settled");
  const staged = join(folder, "staged");
  const trial = join(folder, "trial");
  const app = join(folder, "app/public");
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, "index.html"), "embedded");
  await world.publish("v1", { "index.html": "v1" });
  await makeActive(world, world.device({ root: rootIn(settled) }));
  cpSync(settled, trial, { recursive: true });
  await world.publish("v2", { "index.html": "v2" });
  await update(world, world.device({ root: rootIn(trial) }));
  cpSync(trial, staged, { recursive: true });
  await world.device({ root: rootIn(staged) }).revert({ name: "shell" });
  return { world, settled, staged, trial };
}

/** Starts a process of the app on the phone whose files are in `home`. */
export async function startIosApp(home: string, options: AppOptions = {}): Promise<IosApp> {
  const lines = startLineProgram([program]);
  const events: string[] = [];
  const documents = new Map<string, readonly string[]>();
  const stay = setInterval(() => undefined, 60_000); // the child process does not keep a test alive
  const ask = (message: Step) =>
    new Promise<JsonObject>((resolve, reject) => {
      lines.onMessage = resolve;
      lines.onEnd = reject;
      lines.send(message);
    });
  const note = (event: JsonValue) => {
    if (!isJsonObject(event)) throw new Error(`an event is ${JSON.stringify(event)}`);
    const { records, view, loads, shows, scripts } = event;
    if (records !== undefined) return events.push(`records ${records}`);
    if (loads !== undefined) return events.push(`${view} loads ${loads}`);
    const own = Array.isArray(scripts) ? scripts.map(String) : [];
    documents.set(String(view), own);
    const launch = launchOf(own);
    events.push(
      `${view} shows ${shows}${launch === null ? "" : `, a launch of ${launch.version}`}`,
    );
  };
  const take = async (step: Step): Promise<JsonValue> => {
    const { events: reported, answer } = await ask(step);
    if (Array.isArray(reported)) reported.forEach(note);
    return answer ?? null;
  };
  const call = async (window: string, operation: string, request: JsonObject) => {
    const answer = await take(["call", window, operation, request]);
    if (!isJsonObject(answer)) throw new Error(`${operation}: no answer`);
    if (isJsonObject(answer["resolved"])) return answer["resolved"];
    throw new Error(`${answer["code"]}: ${answer["rejected"]}`);
  };
  /** Script that the page of a window runs on its first frame. */
  const run = async (window: string, script: JsonValue) => {
    const launch = launchOf(documents.get(window) ?? []);
    if (script === "confirms" && launch) await call(window, "confirmBoot", { ...launch });
    if (script === "asks and confirms") { // as pages of older bundles do
      const { launch: known } = await call(window, "getState", {});
      if (isJsonObject(known) && known["token"] !== undefined) {
        await call(window, "confirmBoot", known);
      }
    }
    return null;
  };
  await take(["app", {
    home,
    app: join(home, "../app"),
    errorPath: "capacitor://localhost/error.html",
    ...options,
    config: { bundleName: "shell", ...options.config },
  }]);
  return {
    events,
    take: async (step) =>
      step[0] === "runs" ? await run(String(step[1]), step[2] ?? null) : await take(step),
    call,
    scripts: (window) => documents.get(window) ?? [],
    record(name) {
      const path = join(rootIn(home), `${name}.json`);
      const text = existsSync(path) ? readFileSync(path, "utf8") : "{}";
      const record: unknown = JSON.parse(text);
      if (!isJsonObject(record)) throw new Error(`${path} is ${text}`);
      return record;
    },
    async kill() {
      await lines.kill();
      clearInterval(stay);
    },
  };
}

/** Runs the scripts that native code put into a document, then one of the document's own. */
export function runInDocument(scripts: readonly string[], href: string, own: string): unknown {
  const page = createContext({ location: { href } });
  runInContext("globalThis.window = globalThis", page);
  for (const script of scripts) runInContext(script, page);
  return runInContext(own, page);
}

function launchOf(scripts: readonly string[]): Launch | null {
  const text = runInDocument(
    scripts,
    "capacitor://localhost/",
    "JSON.stringify(globalThis.slipwayLaunch ?? null)",
  );
  const launch: unknown = JSON.parse(String(text));
  if (launch === null) return null;
  if (!isJsonObject(launch)) throw new Error(`slipwayLaunch is ${text}`);
  const { name, version, token } = launch;
  return { name: String(name), version: String(version), token: String(token) };
}
