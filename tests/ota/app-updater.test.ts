import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createAppUpdater,
  type OtaGateState,
  type OtaSettings,
} from "../../lib/ota-client/app-updater.ts";
import { fromPlugin } from "../../lib/ota-client/from-plugin.ts";
import type { NativeUpdater, OtaProgress } from "../../lib/ota-format/native.ts";
import { createFakeNative, createWorld, type World } from "../support/release-world.ts";

function updaterOf(world: World, native: NativeUpdater, over: Partial<OtaSettings> = {}) {
  let loads = 0;
  const updater = createAppUpdater({
    ota: { enabled: true, ...world.connection, ...over },
    fetch: world.fetch,
    loadNative: () => {
      loads++;
      return Promise.resolve(native);
    },
  });
  const states: OtaGateState[] = [];
  updater.gate.subscribe((state) => states.push(state));
  return { updater, states, loads: () => loads };
}

for (const ota of ["absent", "disabled"] as const) {
  // CHECK-2
  test(`checkAppOtaUpdate() with ota ${ota}: no request, no plugin`, async () => {
    const world = await createWorld();
    let loads = 0;
    const updater = createAppUpdater({
      ota: ota === "absent" ? undefined : { enabled: false, ...world.connection },
      fetch: world.fetch,
      loadNative: () => {
        loads++;
        return Promise.resolve(createFakeNative());
      },
    });
    assert.equal(await updater.checkAppOtaUpdate(), true);
    assert.equal(loads, 0);
    assert.deepEqual(world.requests, []);
  });
}

// CHECK-3
test("checkAppOtaUpdate() mandatory: downloading, progress, ready to restart, false for good", async () => {
  const world = await createWorld();
  await world.release({ mandatory: true });
  const listeners = new Set<(progress: OtaProgress) => void>();
  const progress = {
    name: "shell",
    version: "v2",
    bytesDone: 1,
    bytesTotal: 3,
    filesDone: 0,
    filesTotal: 2,
  };
  const native: NativeUpdater = {
    ...createFakeNative(),
    addListener: (_event, listener) => {
      listeners.add(listener);
      return Promise.resolve({ remove: () => Promise.resolve(void listeners.delete(listener)) });
    },
    stageUpdate: () => {
      for (const listener of listeners) listener(progress);
      return Promise.resolve({ ok: true });
    },
  };
  const { updater, states, loads } = updaterOf(world, native);
  assert.equal(await updater.checkAppOtaUpdate(), false);
  assert.deepEqual(states, [
    { state: "downloading", version: "v2", mandatory: true, progress: null },
    { state: "downloading", version: "v2", mandatory: true, progress },
    { state: "ready-to-restart", version: "v2" },
  ]);
  assert.equal(await updater.checkAppOtaUpdate(), false);
  assert.equal(listeners.size, 0);
  assert.equal(loads(), 1, "the dead end needs no further check");
});

test("checkAppOtaUpdate() optional: true at once, staging goes on, then the gate is clear", async () => {
  const world = await createWorld();
  let begun = (_finish: () => void) => {};
  const staging = new Promise<() => void>((resolve) => begun = resolve);
  const native: NativeUpdater = {
    ...createFakeNative(),
    stageUpdate: () => new Promise((resolve) => begun(() => resolve({ ok: true }))),
  };
  const { updater } = updaterOf(world, native);
  assert.equal(await updater.checkAppOtaUpdate(), true);
  assert.equal(updater.gate.current()?.state, "downloading");
  const cleared = new Promise<void>((resolve) => {
    updater.gate.subscribe((state) => {
      if (state === null) resolve();
    });
  });
  (await staging)();
  await cleared;
  assert.equal(updater.gate.current(), null);
});

test("checkAppOtaUpdate() a failure after onWillStage clears the gate and lets the game load", async () => {
  const world = await createWorld();
  await world.release({ mandatory: true });
  world.served.delete("bundles/shell/v2/manifest.json");
  const { updater, states } = updaterOf(world, createFakeNative());
  assert.equal(await updater.checkAppOtaUpdate(), true);
  assert.deepEqual(states.map((state) => state?.state ?? null), ["downloading", null]);
});

for (
  const [what, native, change] of [
    ["the version is active", { state: { active: { shell: "v2" } } }, {}],
    ["the version is quarantined here", { state: { rejected: { shell: ["v2"] } } }, {}],
    ["the release is for newer apps", {}, { minEngineApi: 99 }],
    ["no release can be had", {}, null],
    ["the release is not JSON", {}, "<html>"],
  ] as const
) {
  test(`checkAppOtaUpdate() mandatory, but ${what}: true, and the gate stays idle`, async () => {
    const world = await createWorld();
    await world.release({ mandatory: true, ...(change instanceof Object && change) });
    if (change === null) world.served.delete("release.json");
    if (change === "<html>") world.served.set("release.json", change);
    const fake = createFakeNative(native);
    const { updater, states } = updaterOf(world, fake);
    assert.equal(await updater.checkAppOtaUpdate(), true);
    assert.deepEqual([states, updater.gate.current()], [[], null]);
    assert.deepEqual(fake.calls.filter(({ op }) => /stage|activate/.test(op)), []);
  });
}

test("checkAppOtaUpdate() joins a running check", async () => {
  const world = await createWorld();
  const { updater, loads } = updaterOf(world, createFakeNative());
  await Promise.all([updater.checkAppOtaUpdate(), updater.checkAppOtaUpdate()]);
  assert.equal(loads(), 1);
  assert.equal(world.requests.filter((path) => path === "release.json").length, 1);
});

test("checkAppOtaUpdate() resolves true when the plugin cannot be loaded, or a listener throws", async () => {
  const world = await createWorld();
  const ota = { enabled: true, ...world.connection };
  const missing = createAppUpdater({
    ota,
    fetch: world.fetch,
    loadNative: () => Promise.reject(new Error("no plugin")),
  });
  assert.equal(await missing.checkAppOtaUpdate(), true);
  const { updater } = updaterOf(world, createFakeNative());
  updater.gate.subscribe(() => {
    throw new Error("the app's own bug");
  });
  assert.equal(await updater.checkAppOtaUpdate(), true);
});

for (const operation of ["loadNative", "addListener", "getState", "readManifest"] as const) {
  test(`checkAppOtaUpdate() lets the game load when ${operation} never answers`, async () => {
    const world = await createWorld();
    const hang = () => new Promise<never>(() => undefined);
    const native = { ...createFakeNative(), [operation]: hang };
    const updater = createAppUpdater({
      ota: { enabled: true, ...world.connection },
      fetch: world.fetch,
      loadNative: operation === "loadNative" ? hang : () => Promise.resolve(native),
      deadlineMs: 40,
    });
    assert.equal(await updater.checkAppOtaUpdate(), true);
  });
}

test("checkAppOtaUpdate() gives a mandatory staging up when it shows no progress, and only then", async () => {
  const world = await createWorld();
  await world.release({ mandatory: true });
  let ticks = 0;
  let tell = (_progress: OtaProgress) => {};
  const native: NativeUpdater = {
    ...createFakeNative(),
    addListener: (_event, listener) => {
      tell = listener;
      return Promise.resolve({ remove: () => Promise.resolve() });
    },
    stageUpdate: () => {
      const timer = setInterval(() => {
        tell({
          name: "shell",
          version: "v2",
          bytesDone: ++ticks,
          bytesTotal: 9,
          filesDone: 0,
          filesTotal: 1,
        });
        if (ticks === 6) clearInterval(timer);
      }, 20);
      return new Promise(() => undefined);
    },
  };
  const results: unknown[] = [];
  const updater = createAppUpdater({
    ota: { enabled: true, ...world.connection },
    fetch: world.fetch,
    loadNative: () => Promise.resolve(native),
    onResult: (result) => results.push(result),
    stallMs: 100,
  });
  assert.equal(await updater.checkAppOtaUpdate(), true);
  assert.equal(ticks, 6, "120 ms of progress are longer than the limit of 100 ms without any");
  assert.deepEqual(results, [{
    result: "stage-failed",
    code: "timeout",
    detail: "timeout: no progress for 100 ms",
  }]);
  assert.equal(updater.gate.current(), null);
});

test("checkAppOtaUpdate() takes no notice of progress that is none, or of another bundle", async () => {
  const world = await createWorld();
  const native: NativeUpdater = {
    ...createFakeNative(),
    addListener: (_event, listener) => {
      const odd: unknown[] = [null, undefined, 7, {}, { name: "game", version: "v2" }];
      for (const progress of odd) Reflect.apply(listener, undefined, [progress]);
      return Promise.resolve({ remove: () => Promise.resolve() });
    },
  };
  const { updater, states } = updaterOf(world, native);
  assert.equal(await updater.checkAppOtaUpdate(), true);
  assert.deepEqual(states.filter((state) => state?.state === "downloading" && state.progress), []);
});

test("checkAppOtaUpdate() with a signal: a check that was given up lets the game load", async () => {
  const world = await createWorld();
  world.served.set("release.json", () => new Promise(() => undefined));
  const abort = new AbortController();
  const updater = createAppUpdater({
    ota: { enabled: true, ...world.connection },
    fetch: world.fetch,
    loadNative: () => Promise.resolve(createFakeNative()),
    signal: abort.signal,
  });
  const running = updater.checkAppOtaUpdate();
  setTimeout(() => abort.abort(), 5);
  assert.equal(await running, true);
});

test("checkAppOtaUpdate() with a config that has null for ota: no request, no plugin", async () => {
  const world = await createWorld();
  const updater = createAppUpdater({
    ...JSON.parse('{"ota":null}'),
    fetch: world.fetch,
    loadNative: () => Promise.reject(new Error("must not be loaded")),
  });
  assert.equal(await updater.checkAppOtaUpdate(), true);
  assert.deepEqual(world.requests, []);
});

test("fromPlugin() makes a plugin of a proxy that answers to every name", async () => {
  const world = await createWorld();
  await world.release({ mandatory: true });
  const native = createFakeNative();
  // As Capacitor's proxies do it: `then` is one more method that native code never answers.
  const proxy = new Proxy(native, {
    get: (target, name) => Reflect.get(target, name) ?? (() => new Promise(() => undefined)),
  });
  const { updater } = updaterOf(world, fromPlugin(proxy));
  assert.equal(await updater.checkAppOtaUpdate(), false);
  const { readManifest: _none, ...older } = native;
  assert.equal(await updaterOf(world, fromPlugin(older)).updater.checkAppOtaUpdate(), false);
});
