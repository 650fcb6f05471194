// Callers of the examples in docstrings, by file: TypeScript with the example's exports as
// `example`, a folder of its own as `folder`, and the imports of `CALLER_IMPORTS`. A caller throws
// if the example does not behave as documented.

/** The caller of an example. */
export interface ExampleCaller {
  /** Statements, in an asynchronous function; the example is imported before. */
  readonly code: string;
  /** `suite`: the example declares tests itself. `import`: the caller imports it, as `importExample()`. */
  readonly kind?: "suite" | "import";
}

/** Imports for every caller. */
export const CALLER_IMPORTS = `import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { createKey, openService } from "slipway";
import { createRuntime, serve } from "slipway/node";
import { checkForUpdate } from "slipway/ota-client";
import { createDevice } from "slipway/ota-device";
import { openProject } from "slipway/project";
import { release } from "./lib-ota-publish-publish.js";
`;

/** Fixtures of several callers. */
export const CALLER_FIXTURES = `
const SAMPLE = "node_modules/slipway/lib/editor/sample";

/** Publishes a version and serves the bucket. Its connection is of an app that trusts the key. */
async function withRelease(
  folder: string,
  work: (connection: { baseUrl: string; publicKey: string; bundleName: string; engineApi: number }) => Promise<void>,
): Promise<void> {
  const [bucket, dist] = [join(folder, "bucket"), join(folder, "dist")];
  mkdirSync(dist);
  writeFileSync(join(dist, "index.html"), "<h1>v2</h1>");
  const runtime = createRuntime();
  const path = join(runtime.host.userData, "ota-keys", "harbor.json");
  rmSync(path, { force: true });
  const key = await createKey(runtime, path);
  assert.ok(key.ok, JSON.stringify(key));
  const published = await release(pathToFileURL(bucket).href, dist, "v2");
  assert.ok(published.ok, JSON.stringify(published));
  const server = createServer((request, response) => {
    try {
      response.end(readFileSync(join(bucket, new URL(request.url ?? "", "http://x").pathname)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  try {
    const baseUrl = "http://127.0.0.1:" + address.port;
    await work({ baseUrl, publicKey: key.value.publicKey, bundleName: "shell", engineApi: 1 });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
`;

/** The callers of all examples. */
export const CALLERS: Readonly<Record<string, ExampleCaller>> = {
  "adapters/node/mod.ts": {
    code: `const said = await example.provide("xcodebuild", join(folder, "toolchain"));
assert.match(said, /^xcodebuild is there$|^Cannot install xcodebuild: /);`,
  },
  "lib/device-bridge/bridge.ts": {
    // A page's globals, and a socket to the service in place of the address in the example.
    kind: "import",
    code: `const game = join(folder, "game");
cpSync(SAMPLE, game, { recursive: true });
const file = join(game, "project.config.json");
const settings = JSON.parse(readFileSync(file, "utf8"));
writeFileSync(file, JSON.stringify({ ...settings, devices: { bridge: "ws://192.168.1.20:4747" } }));
const service = await openService({ runtime: createRuntime(), project: game, version: "1.0" });
assert.ok(service.ok, JSON.stringify(service));
const served = await serve(service.value.handler, { hostname: "127.0.0.1", port: 0 });
assert.ok(served.ok);
const { url } = served.value;
const { WebSocket } = await import("ws" as string);
let socket: { close(): void } | undefined;
let show: (code: string) => void = () => {};
const code = new Promise<string>((resolve) => show = resolve);
const kept = new Map<string, string>();
const element = {
  style: {},
  setAttribute() {},
  append() {},
  remove() {},
  set textContent(text: string) { show(text); },
};
Object.assign(globalThis, {
  addEventListener() {},
  document: { body: element, createElement: () => element },
  WebSocket: class {
    constructor(asked: string) {
      assert.equal(asked, "ws://192.168.1.20:4747/api/devices/bridge");
      socket = new WebSocket(asked.replace("ws://192.168.1.20:4747", url.replace("http:", "ws:")));
      return socket as object;
    }
  },
});
Object.defineProperty(globalThis, "localStorage", {
  value: {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
  },
});
await importExample();
const paired = await fetch(url + "/api/tools/device_list", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ pair: await code }),
});
const { devices } = await paired.json();
assert.deepEqual(devices.map(({ name }: { name: string }) => name), ["My game"]);
socket?.close();
await served.value.close();
await service.value.close();`,
  },
  "lib/editor/contract/mod.ts": {
    kind: "suite",
    // Some 70 cases have a project each, so it is a small one: each layer, a child, two that overlap.
    code: `let opened = 0;
const START = "assets/scenes/main.scene.json";
const SETTINGS = { name: "Mine", startScene: START, build: { web: { out: "dist" } } };
const guid = (n: number) => "00000000-0000-4000-8000-" + String(n).padStart(12, "0");
const SCENE = {
  schema: 1,
  name: "Main",
  entities: [
    { name: "Camera", layer: "3d", traits: { Transform: { z: 10 }, Camera: {} } },
    {
      name: "Crate",
      layer: "3d",
      traits: {
        Transform: { y: 2 },
        Renderable3D: { mesh: "box" },
        RigidBody: {},
        Collider: {},
      },
    },
    { name: "Lid", parent: guid(2), layer: "3d", traits: { Transform: { y: 0.5 } } },
    {
      name: "Crate behind",
      layer: "3d",
      traits: { Transform: { z: -2, y: 2 }, Renderable3D: { mesh: "sphere" } },
    },
    { name: "Title", layer: "ui", traits: { UIElement: {}, Text: { text: "Hello" } } },
  ].map((entity, index) => ({ guid: guid(index + 1), ...entity })),
};
example.testMine(async () => {
  const root = join(folder, String(opened++));
  mkdirSync(join(root, "assets", "scenes"), { recursive: true });
  writeFileSync(join(root, "project.config.json"), JSON.stringify(SETTINGS));
  writeFileSync(join(root, START), JSON.stringify(SCENE));
  const project = await openProject({ ...createRuntime(), root });
  assert.ok(project.ok, JSON.stringify(project));
  return project.value.editor;
});`,
  },
  "lib/http/handler.ts": {
    code: `const game = join(folder, "game");
cpSync(SAMPLE, game, { recursive: true });
const service = await openService({ runtime: createRuntime(), project: game, version: "1.0" });
assert.ok(service.ok, JSON.stringify(service));
const { services, jobs } = service.value;
const answer = await example.answers({ ...services, jobs })(
  new Request("http://127.0.0.1/api/tools"),
);
assert.equal(answer.status, 200);
assert.match(await answer.text(), /svc_get_scene_state/);
await service.value.close();`,
  },
  "lib/ota-client/check.ts": {
    code: `await withRelease(folder, async (connection) => {
  const { files, hashing, clock } = createRuntime();
  const native = createDevice({ files, hashing, clock, fetch, root: join(folder, "phone") });
  assert.equal(await example.update(native, connection), "v2 boots at the next launch");
});`,
  },
  "lib/ota-device/device.ts": {
    code: `await withRelease(folder, async (connection) => {
  const { result, serves } = await example.update(join(folder, "phone"), connection);
  assert.equal(result, "staged");
  assert.equal(readFileSync(join(String(serves), "index.html"), "utf8"), "<h1>v2</h1>");
});`,
  },
  "lib/ota-publish/publish.ts": {
    code: `await withRelease(folder, async ({ baseUrl }) => {
  const { status } = await fetch(baseUrl + "/bundles/shell/v2/manifest.json");
  assert.equal(status, 200);
});
assert.equal(typeof example.release, "function");`,
  },
  "lib/service/open-service.ts": {
    code: `const game = join(folder, "game");
cpSync(SAMPLE, game, { recursive: true });
assert.match(await example.tools(game), /svc_get_scene_state/);`,
  },
  "lib/toolchain/toolchain.ts": {
    code:
      `for (const line of await example.lacking()) assert.match(line, /^[a-z0-9-]+: .+\\. .+/);`,
  },
};
