import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { FileError } from "../../lib/core/file-error.ts";
import { createAppUpdater } from "../../lib/ota-client/app-updater.ts";
import type { Device } from "../../lib/ota-device/device.ts";
import { treeOf, withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";
import { launch, launched, makeActive, update } from "../support/phone-life.ts";

// A launch belongs to the page that it served: other pages do not get its token (NAT-7). A pending version
// tells whether the game may continue without it (NAT-8).

const NAME = "shell";

/** Globals of a page at its start, set by the script of its launch. */
function pageOf(script: string): { readonly version: string; readonly token: string } {
  const page = createContext({});
  return runInContext(
    `window = globalThis; ${script}; Object.isFrozen(slipwayLaunch) && slipwayLaunch`,
    page,
  );
}

test("getState() tells the token while one version was served, and no page confirms another's launch (NAT-7)", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { "index.html": "one" });
    await makeActive(world, world.device());
    const app = world.device();
    const first = await app.launch({ name: NAME });
    assert.deepEqual({ ...pageOf(first.script) }, {
      name: NAME,
      version: "v1",
      token: first.token,
    });
    const again = await app.launch({ name: NAME });
    assert.deepEqual((await app.getState({})).launch, {
      name: NAME,
      version: "v1",
      token: again.token,
    });
    await world.publish("v2", { "index.html": "two" });
    await update(world, app);
    const second = await app.launch({ name: NAME });
    assert.equal(launched(second.target), "v2");
    assert.deepEqual((await app.getState({})).launch, { name: NAME, version: "v2" });

    const confirmed = async () => (await app.getState({})).state?.confirmedBoots;
    for (const { script } of [first, again]) {
      await app.confirmBoot({ name: NAME, token: pageOf(script).token });
      assert.equal(await confirmed(), undefined, "the page that is going confirms nothing");
    }
    await app.confirmBoot({ name: NAME, token: pageOf(second.script).token });
    assert.deepEqual(await confirmed(), { [NAME]: 1 });
    await app.launch({ name: NAME }); // back in the same process: it has still served two versions
    assert.deepEqual((await app.getState({})).launch, { name: NAME, version: "v2" });
    assert.notEqual((await world.device().launch({ name: NAME })).token, second.token);
  }));

test("a page of a background process does not confirm the version that is served once it is seen (NAT-7)", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { "index.html": "one" });
    await makeActive(world, world.device());
    await world.publish("v2", { "index.html": "two" });
    await update(world, world.device());
    const app = world.device();
    const unseen = await app.launch({ name: NAME, background: true });
    assert.equal(pageOf(unseen.script).version, "v1");
    const seen = await app.launch({ name: NAME });
    assert.equal(pageOf(seen.script).version, "v2");
    assert.equal((await app.getState({})).launch?.token, undefined);
    await app.confirmBoot({ name: NAME, token: unseen.token });
    assert.equal((await app.getState({})).state?.confirmedBoots, undefined);
  }));

/** The pending version, as reported to the app. */
const pendingOf = async (device: Device) => (await device.getState({})).pending;

test("activate() notes what is mandatory, and getState() tells it while it is pending (NAT-8)", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { "index.html": "one" });
    let app = world.device();
    assert.equal(await pendingOf(app), undefined);
    await update(world, app);
    const optional = { name: NAME, version: "v1", mandatory: false };
    const mandatory = { ...optional, mandatory: true };
    assert.deepEqual(await pendingOf(app), optional);
    assert.deepEqual(await app.activate(mandatory), { ok: true });
    assert.deepEqual(await pendingOf(app), mandatory);
    assert.equal(await launch(app), "v1");
    assert.deepEqual(await pendingOf(app), mandatory, "on trial, and told by another process too");
    app = world.device();
    assert.deepEqual(await pendingOf(app), mandatory);
    await app.activate({ name: NAME, version: "v1" });
    assert.deepEqual(await pendingOf(app), optional);

    await app.activate(mandatory);
    const before = treeOf(join(folder, "phone"));
    const refused = await Reflect.apply(app.activate, app, [{ ...optional, mandatory: "yes" }]);
    assert.equal(refused.code, "invalid");
    await app.activate({ name: NAME, version: "v7" }); // not staged
    assert.deepEqual(treeOf(join(folder, "phone")), before);
    for (let boot = 0; boot < 2; boot++) {
      await launch(app);
      await app.confirmLaunch({ name: NAME });
    }
    assert.equal(await pendingOf(app), undefined, "it is active now");
  }));

test("another version that is pending is not mandatory for what an earlier one was (NAT-8)", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { "index.html": "one" });
    const app = world.device();
    await update(world, app);
    await app.activate({ name: NAME, version: "v1", mandatory: true });
    await world.publish("v2", { "index.html": "two" });
    await update(world, app);
    assert.deepEqual(await pendingOf(app), { name: NAME, version: "v2", mandatory: false });
    await app.revert({ name: NAME });
    assert.equal(await pendingOf(app), undefined);
  }));

test("a mandatory update on a real device is mandatory for every page of the launch, and none of the next (CHECK-17, NAT-8)", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { "index.html": "one" }, { mandatory: true });
    let app = world.device();
    const check = () => world.check(app);
    await app.launch({ name: NAME });
    assert.deepEqual(await check(), { result: "staged", version: "v1", mandatory: true });
    const waiting = {
      result: "up-to-date",
      version: "v1",
      pending: { version: "v1", mandatory: true },
    };
    assert.deepEqual([await check(), await check()], [waiting, waiting]);
    app = world.device();
    await app.launch({ name: NAME });
    assert.deepEqual(await check(), { result: "up-to-date", version: "v1" });
  }));

// A phone that never has room would otherwise ask for a restart at each start, and never play (spec §3.2).
for (const refusal of ["full", "read-only", "disk"] as const) {
  test(`a mandatory update that no launch can record does not keep the game from loading: ${refusal} (NAT-9)`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      await world.publish("v1", { "index.html": "one" }, { mandatory: true });
      await makeActive(world, world.device());
      await world.publish("v2", { "index.html": "two" }, { mandatory: true });
      const before = world.device();
      assert.equal(await launch(before), "v1");
      await update(world, before);
      assert.equal(await mayLoad(world, before), false, "staged in this launch");

      let isRefusing = true;
      const { files } = world.runtime;
      const writeAtomic: typeof files.writeAtomic = (path, ...rest) =>
        isRefusing
          ? Promise.reject(new FileError(refusal, path, `${refusal} at ${path}`))
          : files.writeAtomic(path, ...rest);
      for (let start = 0; start < 4; start++) {
        const app = world.device({ files: { ...files, writeAtomic } });
        assert.equal(await launch(app), "v1", `start ${start}`);
        const waiting = { name: NAME, version: "v2", mandatory: false };
        assert.deepEqual(await pendingOf(app), waiting, `start ${start}`);
        assert.equal(await mayLoad(world, app), true, `start ${start}`);
      }

      const app = world.device({ files: { ...files, writeAtomic } });
      await launch(app);
      isRefusing = false; // room again: a further mandatory version is required, by this launch, too
      await world.publish("v3", { "index.html": "three" }, { mandatory: true });
      await update(world, app);
      assert.deepEqual(await pendingOf(app), { name: NAME, version: "v3", mandatory: true });
      assert.equal(await mayLoad(world, app), false);
      assert.equal(await launch(app), "v3");
      assert.equal(await mayLoad(world, app), true);
    }));
}

test("a mandatory update that the next launch can record again is required again (NAT-9)", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { "index.html": "one" }, { mandatory: true });
    await update(world, world.device());
    let isFull = true;
    const { files } = world.runtime;
    const writeAtomic: typeof files.writeAtomic = (path, ...rest) =>
      isFull
        ? Promise.reject(new FileError("full", path, "the disk is full"))
        : files.writeAtomic(path, ...rest);
    const app = world.device({ files: { ...files, writeAtomic } });
    assert.equal(await launch(app), "embedded");
    assert.equal((await pendingOf(app))?.mandatory, false);
    isFull = false;
    assert.equal(await launch(app), "v1", "restart() in the same process");
    assert.equal((await pendingOf(app))?.mandatory, true);
    assert.equal(await mayLoad(world, app), true, "it runs");
    const unseen = world.device();
    await unseen.launch({ name: NAME, background: true });
    assert.equal(
      (await pendingOf(unseen))?.mandatory,
      true,
      "a launch that nobody sees waives nothing",
    );
  }));

/** Whether the game of a page may load, by the client of that page. */
function mayLoad(world: OtaWorld, native: Device): Promise<boolean> {
  return createAppUpdater({
    ota: {
      enabled: true,
      baseUrl: "https://cdn.example",
      publicKey: world.key.publicKey,
      bundleName: NAME,
      engineApi: 1,
    },
    fetch: world.fetch,
    loadNative: () => Promise.resolve(native),
  }).checkAppOtaUpdate();
}
