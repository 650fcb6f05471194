import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Files } from "../../lib/ports/files.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld, type Tree } from "../support/ota-world.ts";
import { launch, makeActive, update } from "../support/phone-life.ts";
import { PowerCut } from "../support/power-cut-files.ts";

// What came once is not fetched again: after a kill while files are put in place, after a store update;
// and what nobody waits for any more does not stay.

const KEEP = randomBytes(90_000);
const SAME = randomBytes(3_000);
const OLD: Tree = { "index.html": "one", "keep.bin": KEEP };
const NEW: Tree = {
  "index.html": "two",
  "keep.bin": KEEP,
  "art/a.bin": randomBytes(2_000),
  "art/b.bin": SAME,
  "art/c.bin": SAME,
  "js/game.js": randomBytes(4_000),
};

/** Files of a process that is killed before it renames something into place the n-th time. */
function killedAt(files: Files, n: number): { files: Files; placed: () => number } {
  let placed = 0;
  let isDead = false;
  const dies = (): boolean => isDead ||= placed >= n;
  return {
    placed: () => placed,
    files: new Proxy(files, {
      get: (target, name: keyof Files) => (...given: unknown[]) => {
        const [from, to] = given.map(String);
        const isPlaced = name === "rename" && // a content into its place, or all of it
          (to?.includes("/.staging/") || to?.endsWith("/shell/v2")) && !from?.includes(".tmp");
        if (isDead || (isPlaced && dies())) {
          isDead = true;
          return Promise.reject(new PowerCut("killed"));
        }
        if (isPlaced) placed++;
        return Reflect.apply(target[name], target, given);
      },
    }),
  };
}

/** What a check asked of the bucket besides release and manifest. */
async function contentsAskedBy(world: OtaWorld, run: () => Promise<unknown>): Promise<string[]> {
  const before = world.requests.length;
  await run();
  return world.requests.slice(before).filter((path) => !path.endsWith(".json"));
}

const partialsOf = ({ folder }: OtaWorld) => {
  const partial = join(folder, "phone/.partial");
  return existsSync(partial) ? readdirSync(partial) : [];
};

// DEV-38
for (const way of ["zip", "delta"] as const) {
  test(`a kill between two renames of a ${way} costs no download`, () =>
    withFolder(async (folder) => {
      for (let n = 0;; n++) {
        const world = await openOtaWorld(join(folder, `${n}`));
        if (way === "delta") {
          await world.publish("v1", OLD);
          await makeActive(world, world.device());
        }
        await world.publish("v2", NEW);
        const { files, placed } = killedAt(world.runtime.files, n);
        const result = await world.check(world.device({ files })).catch(() => null);
        if (result?.result === "staged") {
          assert.equal(n, placed());
          assert.equal(n, way === "zip" ? 6 : 5); // one content lies under two paths
          return;
        }
        const next = world.device();
        if (n % 2 === 0) { // its launch sweeps before it checks
          await launch(next);
          await next.confirmLaunch({ name: "shell" });
        }
        const asked = await contentsAskedBy(world, () => update(world, next));
        assert.deepEqual(asked, [], `killed after ${n} renames`);
        assert.equal(await launch(next), "v2");
        assert.deepEqual(partialsOf(world), []);
        assert.deepEqual(readdirSync(join(world.folder, "phone/.staging")), []);
      }
    }));
}

// DEV-38
test("what a killed staging had in place serves the next version, too", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", OLD);
    await makeActive(world, world.device());
    await world.publish("v2", NEW);
    const { files } = killedAt(world.runtime.files, 3);
    await world.check(world.device({ files })).catch(() => null);
    await world.publish("v3", { ...NEW, "index.html": "three" });
    const asked = await contentsAskedBy(world, () => update(world, world.device()));
    assert.equal(asked.length, 1, asked.join(" "));
  }));

// DEV-39
test("what was left of older versions goes when one is promoted", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", OLD);
    await makeActive(world, world.device());
    await world.publish("v2", NEW);
    const { files } = killedAt(world.runtime.files, 2);
    await world.check(world.device({ files })).catch(() => null);
    assert.notDeepEqual(partialsOf(world), []);
    await world.publish("v3", { "index.html": "three", "keep.bin": KEEP });
    const device = world.device();
    await update(world, device);
    assert.notDeepEqual(partialsOf(world), [], "it may still be wanted");
    for (let boot = 0; boot < 2; boot++) {
      assert.equal(await launch(device), "v3");
      await device.confirmLaunch({ name: "shell" });
    }
    assert.deepEqual(partialsOf(world), []);
    assert.deepEqual(readdirSync(join(folder, "phone/.staging")), []);
  }));

// DEV-22
test("a version that was staged before a store update is not fetched again", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const old = world.device();
    await launch(old, "1");
    await world.publish("v1", OLD);
    await makeActive(world, old);
    await world.publish("v2", NEW);
    await update(world, old);
    const device = world.device(); // offline
    assert.equal(await launch(device, "2"), "embedded");
    await device.confirmLaunch({ name: "shell" });
    const asked = await contentsAskedBy(world, () => update(world, device));
    assert.deepEqual(asked, []);
    assert.equal(await launch(device, "2"), "v2");
  }));
