import assert from "node:assert/strict";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { treeOf, withFolder } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { launch, makeActive } from "../support/phone-life.ts";

const V1 = { "index.html": "one", "art/a.bin": "aaa" };
const V2 = { "index.html": "two", "art/a.bin": "aaa" };

const DAMAGE = [
  ["a file that is cut short", (at: string) => writeFileSync(join(at, "art/a.bin"), "a")],
  ["a file that is empty", (at: string) => writeFileSync(join(at, "index.html"), "")],
  ["a file that is gone", (at: string) => rmSync(join(at, "art/a.bin"))],
  ["a folder that is gone", (at: string) => rmSync(join(at, "art"), { recursive: true })],
  ["a link in place of a file", (at: string) => {
    rmSync(join(at, "index.html"));
    symlinkSync("art/a.bin", join(at, "index.html"));
  }],
  ["a file that it should not have", (at: string) => writeFileSync(join(at, "b.js"), "")],
] as const;

for (const [what, damage] of DAMAGE) {
  // DEV-32
  test(`launch() does not serve an active version with ${what}, and the next check heals it`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      await world.publish("v1", V1);
      await makeActive(world, world.device());
      damage(join(folder, "phone/shell/v1"));
      const device = world.device();
      assert.equal(await launch(device), "embedded");
      await makeActive(world, device);
      assert.equal(await launch(device), "v1");
      assert.deepEqual(treeOf(join(folder, "phone/shell/v1")), V1);
    }));
}

// DEV-32
test("launch() drops a damaged version on trial without quarantine, and serves the active one", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    await makeActive(world, world.device());
    await world.publish("v2", V2);
    const device = world.device();
    assert.equal((await world.check(device)).result, "staged");
    writeFileSync(join(folder, "phone/shell/v2/index.html"), "");
    assert.equal(await launch(device), "v1");
    assert.equal((await device.getState({})).state?.rejected, undefined);
    await makeActive(world, device);
    assert.deepEqual(treeOf(join(folder, "phone/shell/v2")), V2);
  }));
