import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import type { Tool } from "../../lib/agent/declaration/tool.ts";
import { TOOLS } from "../../lib/agent/tools.ts";
import { WHOLE_PRODUCERS } from "../../lib/http/whole-producers.ts";
import type { BridgeAsk } from "../../lib/device-bridge/mod.ts";
import type { AskOutcome } from "../../lib/device-bridge/session.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import type { Service } from "../../lib/service/mod.ts";
import { loadRuntime, loadServe } from "../../scripts/shared/runtime.ts";
import { screenPngOf } from "../captures/fake-page.ts";
import { startApp } from "../devices/test-app.ts";
import { withFolder } from "../support/folder.ts";
import { type Random, runSeed, seededRandom } from "../support/random.ts";
import { isSecond, rounds } from "../support/rounds.ts";
import { serviceOf } from "../support/service.ts";
import { until } from "../support/until.ts";
import { drawArguments, meaningful } from "./drawn-arguments.ts";

// A refused call changes nothing (TOOL-12): after it every other tool, every producer and the files
// of the project and of the user are as before, whichever way it came in.

const ORIGIN = "http://127.0.0.1:4747";
const SCREEN = { width: 1080, height: 2340, rotation: 0 };
const SCREEN_PNG = screenPngOf(SCREEN.width, SCREEN.height);

/** They list what is said about calls, refused ones too: a build that its check refuses has a log. */
const SAYS = ["get_console_logs", "editor_journal", "job_get", "console", "editor-journal", "jobs"];

/** A service on a project of its own, with one phone whose app has paired. */
interface World {
  readonly service: Service;
  /** The project, and the user's own data. */
  readonly folders: readonly string[];
  send(path: string, init?: RequestInit): Promise<Sent>;
}

interface Sent {
  readonly refused: boolean;
  readonly text: string;
}

/**
 * A machine of its own: the date does not change, no program is run and no host is reached. No variable
 * names tools: searching all folders of PATH, three times after each call, took half of the time.
 */
function ownMachine(runtime: Runtime, userData: string): Runtime {
  return {
    ...runtime,
    host: { ...runtime.host, userData, env: () => undefined, environment: () => ({}) },
    clock: { ...runtime.clock, now: () => 1_700_000_000_000 },
    processes: { run: () => Promise.resolve({ kind: "not-started", reason: "not in this test" }) },
    fetch: () => Promise.reject(new TypeError("not in this test")),
  };
}

/** Has the sample start with its smallest scene: all of it is looked at after each call. */
function startSmall(config: string): void {
  const settings: object = JSON.parse(readFileSync(config, "utf8"));
  const editScene = "assets/scenes/menu.scene.json";
  writeFileSync(config, JSON.stringify({ ...settings, editScene }));
}

async function withWorld(work: (world: World) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const [project, userData] = [join(folder, "project"), join(folder, "user")];
    cpSync("lib/editor/sample", project, { recursive: true });
    startSmall(join(project, "project.config.json"));
    mkdirSync(userData);
    const service = await serviceOf(ownMachine(await loadRuntime(), userData), project);
    const server = await (await loadServe())(service.handler, { hostname: "127.0.0.1", port: 0 });
    assert.ok(server.ok);
    const send = async (path: string, init: RequestInit = {}): Promise<Sent> => {
      const headers = new Headers(init.headers);
      headers.set("host", new URL(ORIGIN).host); // a socket would have brought it
      const response = await service.handler(new Request(`${ORIGIN}${path}`, { ...init, headers }));
      if (response.status < 400 && isStream(response) && path !== "/mcp") {
        await response.body?.cancel(); // it may never end
        return { refused: false, text: "" };
      }
      const text = await response.text();
      return { refused: response.status >= 400 || path === "/mcp" && mcpRefuses(text), text };
    };
    try {
      const world = { service, folders: [project, userData], send };
      assert.ok(!(await post(world, "device_list", { pair: "open" })).refused);
      const app = await startApp(server.value.url, { does: asPhone });
      assert.ok(!(await post(world, "device_list", { pair: await app.code })).refused);
      await app.paired;
      await work(world);
      app.socket.close();
    } finally {
      await service.close();
      await server.value.close();
    }
  });
}

/** Does what the app of a phone with a large screen would. */
function asPhone({ do: what }: BridgeAsk): Promise<AskOutcome> {
  switch (what) {
    case "screen":
      return Promise.resolve({ ok: true, screen: SCREEN });
    case "screenshot":
      return Promise.resolve({ ok: true, screen: SCREEN, picture: true, bytes: SCREEN_PNG });
    case "touch":
      return Promise.resolve({ ok: true, done: true });
    case "eval":
      return Promise.resolve({ ok: true, text: '{"value":1,"truncated":false,"threw":false}' });
  }
}

function isStream({ headers }: Response): boolean {
  return headers.get("content-type") === "text/event-stream";
}

function post({ send }: World, name: string, args: object, caller = "agent"): Promise<Sent> {
  return send(`/api/tools/${name}`, jsonBody(args, caller));
}

function jsonBody(value: object, caller = "agent"): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", "x-svc-caller": caller },
    body: JSON.stringify(value),
  };
}

/** All that a refused call leaves as it is, by what shows it. */
async function seen(world: World): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>();
  for (const { name, annotations } of TOOLS) {
    if (annotations.readOnlyHint !== true || SAYS.includes(name)) continue;
    all.set(name, (await post(world, name, {})).text);
  }
  for (const [name, { query }] of Object.entries(WHOLE_PRODUCERS)) {
    if (query.length > 0 && !query.includes("since") || SAYS.includes(name)) continue;
    const { text } = await world.send(`/api/whole/${name}`);
    // How fast a game has gone lately: that of a paused one falls to 0 by itself.
    all.set(`/api/whole/${name}`, text.replace(/"rate":[\d.]+/, ""));
  }
  const jobs = world.service.jobs.list().filter(({ state }) => state !== "failed");
  all.set("jobs", jobs.map(({ id, state }) => `${id} ${state}`).join(", "));
  for (const caller of ["agent", "human"]) {
    const { text } = await post(world, "device_tap", { x: 700, y: 10 }, caller);
    all.set(`where a tap of the ${caller} lands`, text);
  }
  for (const folder of world.folders) {
    for (const path of readdirSync(folder, { recursive: true }).map(String)) {
      if (path === "builders") continue; // where a build that is refused has waited for its turn
      const stat = statSync(join(folder, path));
      // A folder's time changes with what is written beside a file and removed again.
      const facts = stat.isDirectory() ? "folder" : `${stat.size} bytes, ${stat.mtimeMs}`;
      all.set(join(folder, path), facts);
    }
  }
  return all;
}

/** What differs, a line each. */
function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.filter((name) => before.get(name) !== after.get(name)).map((name) =>
    `${name}: ${before.get(name)?.slice(0, 2_000)} → ${after.get(name)?.slice(0, 2_000)}`
  );
}

/** A path with its query, and what is sent to it. */
type Sending = readonly [path: string, init: RequestInit];

function nameOf([path, { method = "GET" }]: Sending): string {
  return `${method} ${path}`;
}

/** Sends requests, and holds each refused one to what was there before it. */
class Watch {
  readonly #world: World;
  #before: ReadonlyMap<string, string> | null = null;
  refusals = 0;

  constructor(world: World) {
    this.#world = world;
  }

  async send(path: string, init: RequestInit, what: string): Promise<Sent> {
    this.#before ??= await seen(this.#world);
    const sent = await this.#world.send(path, init);
    if (!sent.refused) {
      this.#before = null;
      await this.#rest();
      return sent;
    }
    this.refusals++;
    const after = await seen(this.#world);
    assert.deepEqual(differences(this.#before, after), [], `${what} was refused: ${sent.text}`);
    return sent;
  }

  /** Sends requests, all of which are refused, and holds them together to what was there before. */
  async sendRefused(requests: readonly Sending[]): Promise<void> {
    this.#before ??= await seen(this.#world);
    for (const [path, init] of requests) {
      const { refused, text } = await this.#world.send(path, init);
      assert.ok(refused, `${nameOf([path, init])} was taken: ${text}`);
    }
    this.refusals += requests.length;
    const changed = differences(this.#before, await seen(this.#world));
    assert.deepEqual(changed, [], `one of these changed it: ${requests.map(nameOf).join(", ")}`);
  }

  /** Ends what was started: it would change what is seen later. */
  async #rest(): Promise<void> {
    const { jobs, services } = this.#world.service;
    if (services.editor.play?.state().state === "playing") {
      await post(this.#world, "play_control", { action: "pause" });
    }
    const running = () => jobs.list().filter(({ state }) => state === "running");
    for (const { id } of running()) jobs.cancel(id);
    await until("no job runs", () => running().length === 0);
  }
}

const SAVE_PATHS = ["../out.png", "a.jpg", "assets", "shots/a.png", "shots/deep/a.png", "a.png/b"];

/** A call by one of its doors: its name, its own route, MCP. */
function requestOf(
  { name, route, routeKind }: Tool,
  args: Readonly<Record<string, unknown>>,
  door: number,
): [path: string, init: RequestInit] {
  if (door === 0) return [`/api/tools/${name}`, jsonBody(args)];
  if (door === 1) {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
    const { headers, ...init } = jsonBody(call);
    const accept = "application/json, text/event-stream";
    return ["/mcp", { ...init, headers: { ...Object.fromEntries(new Headers(headers)), accept } }];
  }
  const path = route.replace(/:(\w+)/g, (_, part) => encodeURIComponent(String(args[part] ?? "x")));
  const rest = Object.entries(args).filter(([part]) => !route.includes(`:${part}`));
  if (routeKind === "body") return [path, jsonBody(Object.fromEntries(rest))];
  const query = new URLSearchParams(rest.map(([part, value]): [string, string] => [
    part,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]));
  return [`${path}?${query}`, { headers: { "x-svc-caller": "agent" } }];
}

/** An MCP refusal has status 200. */
function mcpRefuses(text: string): boolean {
  return /"isError":true|"error":\{/.test(text);
}

const seed = runSeed();
const DRAWN_TOOLS = TOOLS.filter((_, at) => !isSecond || at % 2 === seed % 2);

async function drawCalls(world: World, watch: Watch, random: Random): Promise<void> {
  const { editor } = world.service.services;
  const calls = rounds(1, 40);
  for (const tool of DRAWN_TOOLS) {
    const pools = { ...await meaningful(editor), savePath: SAVE_PATHS, device: ["nobody"] };
    for (let round = 0; round < calls; round++) {
      const args = drawArguments(tool, pools, random);
      const [path, init] = requestOf(tool, args, random.below(3));
      await watch.send(path, init, `${tool.name} ${JSON.stringify(args).slice(0, 400)} by ${path}`);
    }
  }
}

test("device_screenshot that is refused leaves the measure of taps, and each viewer has its own (DEV-43)", () =>
  withWorld(async (world) => {
    const shown = async (caller: string, args: object) =>
      JSON.parse((await post(world, "device_screenshot", args, caller)).text);
    const small = await shown("agent", { inline: true });
    assert.equal(small.height, 1_568);
    const tap = async (caller: string) =>
      JSON.parse((await post(world, "device_tap", { x: 100, y: 200 }, caller)).text);
    const { tapped } = await tap("agent");
    assert.ok(Math.abs(tapped.x - 100.5 * 1080 / small.width) < 1e-6, JSON.stringify(tapped));
    assert.equal((await tap("human")).code, "no-screenshot");
    assert.equal((await shown("human", {})).height, 2_340);
    assert.deepEqual((await tap("human")).tapped, { x: 100.5, y: 200.5 });
    const watch = new Watch(world);
    for (const savePath of SAVE_PATHS) {
      if (/^shots\//.test(savePath)) continue;
      const init = jsonBody({ savePath });
      await watch.send("/api/tools/device_screenshot", init, `savePath=${savePath}`);
      assert.deepEqual((await tap("agent")).tapped, tapped, savePath);
    }
    assert.equal(watch.refusals, 4);
  }));

test("calls that would do a part of what they are asked for are refused before it", () =>
  withWorld(async (world) => {
    const watch = new Watch(world);
    await post(world, "step_play", { ticks: 1 }); // paused from then on
    const refused = async (name: string, args: object) =>
      JSON.parse((await watch.send(`/api/tools/${name}`, jsonBody(args), name)).text).code;
    // Nothing can draw here: no finger goes down for it, and no step is made.
    const points = [100, 100, 200, 100];
    assert.equal(await refused("capture_gesture", { points, keys: ["ArrowUp"] }), "not-served");
    assert.equal(await refused("render_sequence", { frames: 2 }), "not-served");
    const { devices: [{ id }] } = JSON.parse((await post(world, "device_list", {})).text);
    assert.equal(await refused("device_list", { pair: "2222 2222", forget: id }), "bad-argument");
    assert.equal(watch.refusals, 3);
  }));

test(`a refused call changes nothing, whichever tool it is (SLIPWAY_SEED=${seed})`, () =>
  withWorld(async (world) => {
    await post(world, "device_screenshot", { inline: true });
    await post(world, "device_screenshot", {}, "human");
    assert.deepEqual(differences(await seen(world), await seen(world)), []); // looking is no change
    const watch = new Watch(world);
    await drawCalls(world, watch, seededRandom(seed));
    assert.ok(watch.refusals > DRAWN_TOOLS.length / 4, `${watch.refusals} refusals`);
  }));

const UPLOADS: readonly Sending[] = [
  ["/api/uploads?name=a.exe", { method: "POST", body: "x" }],
  ["/api/uploads?name=a.png", { method: "POST" }],
  ["/api/uploads?name=../a.png", { method: "POST", body: "x" }],
];

/** Requests between two looks: all are refused, so that a look holds for each of them. */
const GROUP = 10;

test("a refused request changes nothing, whichever route it is of", () =>
  withWorld(async (world) => {
    const { text } = await world.send("/", { headers: { accept: "text/plain" } });
    const routes = [...text.matchAll(/^(GET|POST) +(\/\S*)/gm)].map(([, , path = ""]) => path);
    assert.ok(routes.includes("/api/uploads") && routes.includes("/render/join"), text);
    const own = new Set(TOOLS.map(({ route }) => route));
    const watch = new Watch(world);
    const others = [...new Set(routes)].filter((route) => !own.has(route))
      .map((route) => route.replace(/:\w+(?:\{.+\})?/g, "nothing"));
    const refused: readonly Sending[] = [
      ...others.map((path): Sending => [`${path}?bogus=1`, {}]),
      ...others.map((path): Sending => [path, { method: "DELETE" }]),
      ...UPLOADS,
    ];
    for (let at = 0; at < refused.length; at += GROUP) {
      await watch.sendRefused(refused.slice(at, at + GROUP));
    }
    // Some take a body of any kind.
    for (const path of others.filter((_, at) => !isSecond || at % 2 === seed % 2)) {
      await watch.send(path, jsonBody({ bogus: 1 }), `POST ${path} with an unknown field`);
    }
    assert.ok(watch.refusals > 40, `${watch.refusals} refusals`);
  }));
