import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { treeOf, withFolder } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { launch, launched, makeActive, update } from "../support/phone-life.ts";

const V1 = { "index.html": "one" };
const V2 = { "index.html": "two" };

// DEV-34
test("launch() in the background serves what is trusted, uses no attempt up, and is confirmed by nothing", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const root = join(folder, "phone");
    await world.publish("v1", V1);
    await makeActive(world, world.device());
    await world.publish("v2", V2);
    const device = world.device();
    await update(world, device);
    const before = treeOf(root);
    for (let push = 0; push < 4; push++) {
      const { target, token } = await device.launch({
        name: "shell",
        binaryVersion: "1",
        background: true,
      });
      assert.equal(launched(target), "v1");
      assert.equal((await device.getState({})).launch?.token, token);
      await device.confirmBoot({ name: "shell", token });
      await device.confirmLaunch({ name: "shell" });
    }
    assert.deepEqual(treeOf(root), before);
    assert.equal(await launch(device), "v2", "the process is shown: now it counts");
    const { state } = await device.getState({});
    assert.deepEqual(state?.bootAttempts, { shell: 1 });
  }));

// DEV-34
test("launch() in the background after the store's update serves what the binary holds, and leaves the rest to a launch that is seen", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const root = join(folder, "phone");
    await world.publish("v1", V1);
    await world.device().launch({ name: "shell", binaryVersion: "1" });
    await makeActive(world, world.device());
    const before = treeOf(root);
    const device = world.device();
    const { target } = await device.launch({
      name: "shell",
      binaryVersion: "2",
      background: true,
    });
    assert.equal(target.kind, "embedded");
    assert.deepEqual(treeOf(root), before);
    assert.equal(await launch(device, "2"), "embedded");
    assert.equal((await device.getState({})).state?.lastSeenBinaryVersion, "2");
  }));
