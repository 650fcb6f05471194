import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { parse } from "acorn";
import * as source from "../../lib/ota-client/mod.ts";
import type { NativeUpdater } from "../../lib/ota-format/native.ts";
import { CLIENT_BYTES } from "../../scripts/gate/client-size.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { bundleApp, packageScripts } from "../support/app-client.ts";
import { withFolder } from "../support/folder.ts";
import { createFakeNative, createWorld, type World } from "../support/release-world.ts";

// `slipway-ota/client` as the package ships it: for old engines, no larger than the client itself, and
// over the package's own plugin.

test("slipway-ota/client has the names of slipway/ota-client, and confirm", async () => {
  const client: object = await import(
    pathToFileURL(join(await packageScripts(), "client.js")).href
  );
  assert.deepEqual(Object.keys(client).sort(), [...Object.keys(source), "confirm"].sort());
});

test("slipway-ota/client is one script of ES2020, which loads the plugin later", async () => {
  const client = readFileSync(join(await packageScripts(), "client.js"), "utf8");
  parse(client, { ecmaVersion: 2020, sourceType: "module" });
  assert.deepEqual(client.match(/^import .*|\bimport\([^)]*\)/gm), ['import("./index.js")']);
  assert.match(client, /noble-ed25519 - MIT License/, "the licence of what it holds");
});

test("an app that checks and confirms carries no more than the client may weigh", async () => {
  const script = 'import { confirm, createAppUpdater } from "slipway-ota/client";\n' +
    "globalThis.game = { confirm, updater: createAppUpdater({ ota: globalThis.ota }) };";
  const bundled = await bundleApp(script, { format: "esm", external: ["./index.js"] });
  const size = gzipSync(bundled, { level: 9 }).length;
  assert.ok(size > 10_000 && size <= CLIENT_BYTES, `${size} bytes, expected ${CLIENT_BYTES}`);
});

test("checkAppOtaUpdate() with the settings alone: the page's fetch, the package's plugin", () => {
  const native = createFakeNative();
  return withApp(native, async ({ createAppUpdater }, world, loads) => {
    await world.release({ mandatory: true });
    const ota = { enabled: true, ...world.connection };
    const logged = await noting(async () => {
      assert.equal(await createAppUpdater({ ota }).checkAppOtaUpdate(), false);
    });
    const result = { result: "staged", version: "v2", mandatory: true };
    assert.deepEqual(logged, [[`slipway-ota ${VERSION}`, result]]);
    assert.equal(loads(), 1);
    assert.deepEqual(native.calls.at(-1)?.op, "activate");
  });
});

test("checkAppOtaUpdate() with updates off: no request, no plugin, nothing logged", () =>
  withApp(createFakeNative(), async ({ createAppUpdater }, world, loads) => {
    const ota = { enabled: false, ...world.connection };
    const logged = await noting(async () => {
      assert.equal(await createAppUpdater({ ota }).checkAppOtaUpdate(), true);
      assert.equal(await createAppUpdater({ ota: undefined }).checkAppOtaUpdate(), true);
    });
    assert.deepEqual([logged, loads(), world.requests], [[], 0, []]);
  }));

test("checkAppOtaUpdate() takes a network, a device and a listener of the app's own", () =>
  withApp(undefined, async ({ createAppUpdater }, world, loads) => {
    const native = createFakeNative();
    await world.release({ mandatory: true });
    const results: unknown[] = [];
    const updater = createAppUpdater({
      ota: { enabled: true, ...world.connection, baseUrl: "https://cdn.example/game" },
      fetch: world.fetch,
      loadNative: () => Promise.resolve(native),
      onResult: (result: unknown) => results.push(result),
    });
    assert.deepEqual(await noting(async () => void await updater.checkAppOtaUpdate()), []);
    assert.deepEqual(results, [{ result: "staged", version: "v2", mandatory: true }]);
    assert.equal(loads(), 0);
  }));

test("checkForUpdate(connection, onWillStage) stages with the package's plugin", () => {
  const native = createFakeNative();
  return withApp(native, async ({ checkForUpdate }, world) => {
    const reported: unknown[] = [];
    const result = await checkForUpdate(
      world.connection,
      (update: unknown) => reported.push(update),
    );
    assert.deepEqual(result, { result: "staged", version: "v2", mandatory: false });
    assert.deepEqual(reported, [{ version: "v2", mandatory: false }]);
    assert.equal(native.calls.at(-1)?.op, "activate");
  });
});

test("checkForUpdate() answers where the plugin cannot be loaded", () =>
  withApp(undefined, async ({ checkForUpdate }, world) => {
    assert.deepEqual(await checkForUpdate(world.connection), {
      result: "stage-failed",
      code: "plugin",
      detail: "plugin: no plugin here",
    });
  }));

for (
  const [what, launch, confirmed] of [
    ["a launch", { name: "shell", version: "v2", token: "t" }, [{ name: "shell", token: "t" }]],
    ["nothing where nothing was launched", undefined, []],
  ] as const
) {
  test(`confirm() confirms ${what}`, () => {
    const native = createFakeNative();
    const state = { state: null, sequence: {}, ...(launch && { launch }) };
    const plugin = { ...native, getState: () => Promise.resolve(state) };
    return withApp(plugin, async ({ confirm }) => {
      await confirm();
      const calls = native.calls.filter(({ op }) => op === "confirmBoot");
      assert.deepEqual(calls.map(({ request }) => request), confirmed);
    });
  });
}

/** Entry of an app; loosely typed, because scripts without types make these calls. */
interface App {
  createAppUpdater(options: object): { checkAppOtaUpdate(): Promise<boolean> };
  checkForUpdate(connection: object, onWillStage?: object): Promise<unknown>;
  confirm(): Promise<void>;
}

const VERSION = JSON.parse(
  readFileSync(join(packageRoot(), "native/package.json"), "utf8"),
).version;

/** Capacitor: its plugins answer every name, `then` too, as real ones do. */
const CAPACITOR = `export const registerPlugin = () => {
  const { plugin, loaded } = globalThis.appOfTest;
  loaded();
  if (plugin === undefined) throw new Error("no plugin here");
  return new Proxy({}, { get: (_, name) => plugin[name] ?? (() => {}) });
};`;

/** Runs `work` with a new app that has this plugin, and with the world's bucket on a server. */
async function withApp(
  plugin: NativeUpdater | undefined,
  work: (app: App, world: World, loads: () => number) => Promise<void>,
): Promise<void> {
  const world = await createWorld();
  const server = createServer(async (request, response) => {
    const answer = await world.fetch(`${world.connection.baseUrl}${request.url}`);
    response.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const baseUrl = `http://127.0.0.1:${address.port}`;
  let loads = 0;
  Reflect.set(globalThis, "appOfTest", { plugin, loaded: () => loads++ });
  try {
    await withFolder(async (folder) => {
      const file = join(folder, "app.mjs");
      const script = 'export * from "slipway-ota/client";';
      writeFileSync(file, await bundleApp(script, { format: "esm", capacitor: CAPACITOR }));
      const app: App = await import(pathToFileURL(file).href);
      await work(app, { ...world, connection: { ...world.connection, baseUrl } }, () => loads);
    });
  } finally {
    Reflect.deleteProperty(globalThis, "appOfTest");
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
}

/** Collects what is written to the console while `work` runs. */
async function noting(work: () => Promise<void>): Promise<readonly unknown[]> {
  const { info } = console;
  const noted: unknown[] = [];
  console.info = (...words) => void noted.push(words);
  try {
    await work();
  } finally {
    console.info = info;
  }
  return noted;
}
