import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import type { Device } from "../../lib/ota-device/device.ts";
import type { Files } from "../../lib/ports/files.ts";
import { treeOf, withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";
import { launch, makeActive } from "../support/phone-life.ts";

const V1 = { "index.html": "one", "game.js": "play()", "art/a.bin": "a".repeat(300 * 1024) };
const V2 = { ...V1, "index.html": "two" };

const confirm = (device: Device) => device.confirmLaunch({ name: "shell" });

async function withActive(
  work: (world: OtaWorld, v1: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    await makeActive(world, world.device());
    await work(world, join(folder, "phone/shell/v1"));
  });
}

/** Changes one byte of a file, which keeps its size. */
function rot(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length - 1] = 0;
  writeFileSync(path, bytes);
}

async function staged(device: Device): Promise<readonly string[]> {
  return (await device.getState({})).staged?.["shell"] ?? [];
}

/** The files of a runtime, with another way to read those of the version. */
function reading(
  { runtime: { files } }: OtaWorld,
  read: (path: string, signal: AbortSignal | undefined) => void | Promise<void>,
): Files {
  const look = async (path: string, signal?: AbortSignal) => {
    if (path.includes("/shell/v1/")) await read(path.split("/v1/")[1] ?? "", signal);
  };
  return {
    ...files,
    async read(path, maxBytes, signal) {
      await look(path, signal);
      return await files.read(path, maxBytes, signal);
    },
    async openRead(path, signal) {
      await look(path, signal);
      return await files.openRead(path, signal);
    },
  };
}

const DAMAGE = [
  ["one byte of a small file", (v1: string) => rot(join(v1, "index.html"))],
  ["one byte of a streamed file", (v1: string) => rot(join(v1, "art/a.bin"))],
  ["a file that went while it ran", (v1: string) => rmSync(join(v1, "game.js"))],
] as const;

for (const [what, damage] of DAMAGE) {
  // DEV-26
  test(`confirmBoot() finds an active version damaged in ${what}, and the next check heals it`, () =>
    withActive(async (world, v1) => {
      const device = world.device();
      assert.equal(await launch(device), "v1");
      damage(v1);
      const damaged = treeOf(v1);
      await confirm(device);
      assert.deepEqual(await staged(device), []);
      assert.deepEqual(treeOf(v1), damaged, "it is being served");
      assert.equal((await world.check(device)).result, "up-to-date");
      const next = world.device();
      assert.equal(await launch(next), "embedded");
      await makeActive(world, next);
      assert.equal(await launch(next), "v1");
      await confirm(next);
      assert.deepEqual(await staged(next), ["v1"]);
      assert.deepEqual(treeOf(v1), V1);
      assert.equal((await next.getState({})).state?.rejected, undefined);
    }));
}

// DEV-26
test("confirmBoot() hashes an active version at its first launch and at each sixteenth after it", () =>
  withActive(async (world) => {
    const hashed: number[] = [];
    for (let at = 1; at <= 34; at++) {
      const files = reading(world, (path) => void (path === "game.js" && hashed.push(at)));
      const device = world.device({ files });
      assert.equal(await launch(device), "v1");
      await confirm(device);
      await confirm(device); // once a launch
    }
    assert.deepEqual(hashed, [1, 17, 33]);
  }));

// DEV-26
test("confirmBoot() stops hashing for a staging, and begins again at the next launch", () =>
  withActive(async (world, v1) => {
    await world.publish("v2", V2);
    let whenReading = () => {};
    const isReading = new Promise<void>((resolve) => whenReading = resolve);
    let whenAsked = () => {};
    const isAsked = new Promise<void>((resolve) => whenAsked = resolve);
    let isFirst = true;
    const files = reading(world, (_path, signal) => {
      if (!isFirst) return; // the staging copies
      isFirst = false;
      whenReading();
      // A core of another language cannot leave a read that hangs, and asks after it.
      if (signal === undefined) return isAsked;
      return new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason))
      );
    });
    const device = world.device({ files });
    const asking: Device = {
      ...device,
      stageUpdateDelta(request) {
        const staging = device.stageUpdateDelta(request);
        whenAsked();
        return staging;
      },
    };
    assert.equal(await launch(device), "v1");
    rot(join(v1, "game.js"));
    const confirmed = confirm(device);
    await isReading;
    assert.equal((await world.check(asking)).result, "staged");
    await confirmed;
    assert.deepEqual(await staged(device), ["v1", "v2"]);
    await device.revert({ name: "shell" });
    const next = world.device();
    assert.equal(await launch(next), "v1");
    await confirm(next);
    assert.deepEqual(await staged(next), []);
  }));

// DEV-26
test("confirmBoot() does not begin to hash for a staging that is asked for meanwhile", () =>
  withActive(async (world, v1) => {
    await world.publish("v2", V2);
    let whenLooking = () => {};
    const isLooking = new Promise<void>((resolve) => whenLooking = resolve);
    let whenAsked = () => {};
    const isAsked = new Promise<void>((resolve) => whenAsked = resolve);
    let at: "before" | "swept" | "looking" = "looking";
    const { files } = world.runtime;
    const device = world.device({
      files: {
        ...files,
        async list(path) {
          if (path.endsWith("/.partial") && at === "before") at = "swept"; // the sweep's last look
          return await files.list(path);
        },
        async read(path, maxBytes, signal) {
          if (path.endsWith("/launch.json") && at === "swept") {
            at = "looking";
            whenLooking();
            await isAsked;
          }
          return await files.read(path, maxBytes, signal);
        },
      },
    });
    const asking: Device = {
      ...device,
      stageUpdateDelta(request) {
        const staging = device.stageUpdateDelta(request);
        whenAsked();
        return staging;
      },
    };
    assert.equal(await launch(device), "v1");
    rot(join(v1, "game.js"));
    at = "before";
    const confirmed = confirm(device);
    await isLooking;
    assert.equal((await world.check(asking)).result, "staged");
    await confirmed;
    assert.deepEqual(await staged(device), ["v1", "v2"]);
  }));

// DEV-26
test("confirmBoot() stops hashing when the device ends", () =>
  withActive(async (world) => {
    const end = new AbortController();
    const paths: string[] = [];
    const files = reading(world, (path) => {
      paths.push(path);
      end.abort();
    });
    const device = world.device({ files, signal: end.signal });
    assert.equal(await launch(device), "v1");
    await confirm(device);
    assert.equal(paths.length, 1);
    assert.deepEqual(await staged(device), ["v1"]);
  }));

const REFUSALS = [
  ["the disk, once", "disk", 1, ["v1"]],
  ["the disk, twice", "disk", 2, []],
  ["the system, always", "denied", Infinity, ["v1"]],
] as const;

for (const [who, code, times, expected] of REFUSALS) {
  // DEV-26
  test(`confirmBoot() meets a file that is refused by ${who}`, () =>
    withActive(async (world) => {
      let refusals = 0;
      const files = reading(world, (path) => {
        if (path !== "game.js" || refusals >= times) return;
        refusals++;
        throw new FileError(code, path, `${path} is refused`);
      });
      const device = world.device({ files });
      assert.equal(await launch(device), "v1");
      await confirm(device);
      assert.deepEqual(await staged(device), expected);
    }));
}

// DEV-7, DEV-26
test("stageUpdate() heals a version that is recorded as previous and cannot boot", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    const device = world.device();
    await makeActive(world, device);
    await device.revert({ name: "shell", toEmbedded: true }); // previous: v1
    await launch(device);
    await makeActive(world, device); // v1 again, and previous still
    await launch(device);
    rot(join(folder, "phone/shell/v1/game.js"));
    await confirm(device);
    assert.equal(await launch(device), "embedded");
    await makeActive(world, device);
    assert.deepEqual(treeOf(join(folder, "phone/shell/v1")), V1);
  }));
