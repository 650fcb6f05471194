import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import type { Device } from "../../lib/ota-device/device.ts";
import { treeOf, withFolder } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
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
