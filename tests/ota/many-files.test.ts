import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import type { Device } from "../../lib/ota-device/device.ts";
import type { Files } from "../../lib/ports/files.ts";
import { treeOf, withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld, type Tree } from "../support/ota-world.ts";
import { launch, makeActive, update } from "../support/phone-life.ts";
import { until } from "../support/until.ts";
import { DEEP, manyFiles } from "./many-files.ts";

const V1 = manyFiles("one");
const V2 = manyFiles("two");
const FILE = `${DEEP}/7.bin`;
const NOTE = ".folders/shell@v1.json";

const confirm = (device: Device) => device.confirmLaunch({ name: "shell" });

/** A phone on which v1 is active, was launched by its folders, and was looked at since. */
async function withActive(
  work: (at: { world: OtaWorld; root: string; v1: string }) => Promise<void>,
  tree: Tree = V1,
): Promise<void> {
  await withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", tree);
    const device = phone(world);
    await makeActive(world, device);
    assert.equal(await launch(device), "v1");
    await confirm(device);
    const root = join(folder, "phone");
    await work({ world, root, v1: join(root, "shell/v1") });
  });
}

/** The files of a runtime that tell which files of a version were looked at. */
function noting({ runtime: { files } }: OtaWorld, looked: string[]): Files {
  return {
    ...files,
    async stat(path) {
      const stat = await files.stat(path);
      if (stat?.kind === "file" && path.includes("/shell/v")) looked.push(path);
      return stat;
    },
  };
}

/** A process of the app. All of a test are told of times alike: another core knows its own disk better. */
function phone(world: OtaWorld, looked: string[] = []): Device {
  return world.device({ files: noting(world, looked) });
}

/** Launches, as the next start of the app does. */
async function start(world: OtaWorld): Promise<{ device: Device; serves: string; looked: number }> {
  const looked: string[] = [];
  const device = phone(world, looked);
  const serves = await launch(device);
  return { device, serves, looked: looked.length };
}

const COUNT = Object.keys(V1).length;

// DEV-61
test("launch() looks at no file of a version of many files, from its first launch on", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    await update(world, phone(world));
    for (let at = 0; at < 4; at++) {
      const { device, serves, looked } = await start(world);
      assert.deepEqual({ serves, looked }, { serves: "v1", looked: 0 }, `launch ${at}`);
      await confirm(device);
    }
  }));

const NAMES = [
  ["a file that is gone", (v1: string) => rmSync(join(v1, FILE))],
  ["a folder that is gone", (v1: string) => rmSync(join(v1, DEEP), { recursive: true })],
  [
    "a file that has another name",
    (v1: string) => renameSync(join(v1, FILE), join(v1, `${DEEP}/7.bak`)),
  ],
  ["a file that it should not have", (v1: string) => writeFileSync(join(v1, "b.js"), "")],
  ["a link in place of a file", (v1: string) => {
    rmSync(join(v1, "index.html"));
    symlinkSync(FILE, join(v1, "index.html"));
  }],
  ["a file that was replaced by half of it", (v1: string) => {
    writeFileSync(join(v1, "half"), "");
    renameSync(join(v1, "half"), join(v1, "index.html"));
  }],
] as const;

for (const [what, damage] of NAMES) {
  // DEV-32, DEV-61
  test(`launch() does not serve a version of many files with ${what}, and the next check heals it`, () =>
    withActive(async ({ world, v1 }) => {
      damage(v1);
      const { device, serves } = await start(world);
      assert.equal(serves, "embedded");
      await makeActive(world, device);
      assert.equal(await launch(device), "v1");
      assert.deepEqual(treeOf(v1), V1);
    }));
}

for (const isConfirmed of [true, false]) {
  const which = isConfirmed ? "is confirmed" : "ends before it is confirmed";
  // DEV-62
  test(`a file that was shortened is served by one launch at most, which ${which}`, () =>
    withActive(async ({ world, v1 }) => {
      writeFileSync(join(v1, FILE), "");
      const { device, serves } = await start(world);
      assert.equal(serves, "v1", "a folder does not change with the bytes of a file");
      if (isConfirmed) await confirm(device);
      const next = await start(world);
      assert.equal(next.serves, "embedded");
      await makeActive(world, next.device);
      assert.deepEqual(treeOf(v1), V1);
    }));
}

// DEV-63
test("a version is staged though the disk does not say when its folders changed", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    const { stat } = world.runtime.files;
    let refused = 0;
    const unreadable: Files["stat"] = async (path) => {
      const found = await stat(path);
      if (found?.kind !== "directory" || !path.endsWith("/shell/v1/art")) return found;
      refused++;
      throw new FileError("disk", path, "the disk failed to read");
    };
    const device = world.device({ files: { ...world.runtime.files, stat: unreadable } });
    assert.equal((await world.check(device)).result, "staged");
    assert.equal(refused, 1, "the look at its folders");
    assert.equal(existsSync(join(folder, "phone", NOTE)), false);
    const { serves, looked } = await start(world);
    assert.deepEqual([serves, looked], ["v1", COUNT]);
  }));

// DEV-62
test("a file that was shortened is not served by launches that a full disk does not record", () =>
  withActive(async ({ world, v1 }) => {
    writeFileSync(join(v1, FILE), "");
    const writeAtomic: Files["writeAtomic"] = (path) =>
      Promise.reject(new FileError("full", path, "the disk is full"));
    for (let at = 0; at < 2; at++) {
      const device = world.device({ files: { ...world.runtime.files, writeAtomic } });
      assert.equal(await launch(device), "embedded", `launch ${at}`);
    }
  }));

// DEV-62
test("launch() looks at each file after a launch that was not looked at, and trusts folders again", () =>
  withActive(async ({ world }) => {
    assert.equal((await start(world)).looked, 0);
    const second = await start(world); // the first one was not confirmed
    assert.deepEqual([second.serves, second.looked], ["v1", COUNT]);
    const third = await start(world); // each file was looked at by the second
    assert.deepEqual([third.serves, third.looked], ["v1", 0]);
    await confirm(third.device);
    assert.equal((await start(world)).looked, 0);
  }));

// DEV-62
test("confirmBoot() drops a version on trial of which a file is short, without quarantine", () =>
  withActive(async ({ world, root }) => {
    await world.publish("v2", V2);
    await update(world, phone(world));
    const file = join(root, "shell/v2", FILE);
    rmSync(file); // v1 may share its bytes (DEV-60)
    writeFileSync(file, "");
    const note = join(root, ".folders/shell@v2.json");
    const { device } = await start(world); // its folders changed: dropped at once
    assert.equal((await device.getState({})).launch?.version, "v1");
    await update(world, device);
    writeFileSync(join(root, "shell/v2/index.html"), "");
    assert.ok(existsSync(note));
    const second = await start(world);
    assert.equal(second.serves, "v2");
    await confirm(second.device);
    const third = await start(world);
    assert.equal(third.serves, "v1");
    const { state } = await third.device.getState({});
    assert.deepEqual([state?.pending, state?.rejected], [undefined, undefined]);
  }));

// DEV-61
test("launch() looks at each file of a version that was restored with its times, once", () =>
  withActive(async ({ world, root, v1 }) => {
    const copy = join(root, "copy");
    cpSync(v1, copy, { recursive: true, preserveTimestamps: true });
    rmSync(v1, { recursive: true });
    renameSync(copy, v1);
    const first = await start(world);
    assert.deepEqual([first.serves, first.looked], ["v1", COUNT]);
    await confirm(first.device);
    const second = await start(world);
    assert.deepEqual([second.serves, second.looked], ["v1", 0]);
  }));

// DEV-61
test("launch() does not take a folder that lacks a file for the one whose times it was given", () =>
  withActive(async ({ world, root, v1 }) => {
    const { atime, mtime, ctimeMs } = statSync(join(v1, DEEP));
    // Deno reports the time that programs cannot set in whole seconds, of a clock behind `Date.now()`.
    const clock = join(root, "clock");
    await until("the file system's next second", () => {
      writeFileSync(clock, "");
      return statSync(clock).ctimeMs >= ctimeMs + 1_000;
    });
    rmSync(join(v1, FILE));
    utimesSync(join(v1, DEEP), atime, mtime);
    assert.equal((await start(world)).serves, "embedded");
  }));

const NOTES = [
  ["gone", (note: string) => rmSync(note)],
  ["cut short", (note: string) => writeFileSync(note, readFileSync(note).subarray(0, 20))],
  ["without a folder", (note: string) => writeFileSync(note, '{"schema":1,"folders":{}}\n')],
  ["of something else", (note: string) => writeFileSync(note, '{"folders":{"":7}}')],
  ["too long", (note: string) => writeFileSync(note, " ".repeat(1024 * 1024 + 1))],
  ["a folder", (note: string) => {
    rmSync(note);
    mkdirSync(note);
  }],
] as const;

for (const [what, damage] of NOTES) {
  // DEV-61
  test(`launch() looks at each file where the note of its folders is ${what}`, () =>
    withActive(async ({ world, root }) => {
      damage(join(root, NOTE));
      const { device, serves, looked } = await start(world);
      assert.deepEqual([serves, looked], ["v1", COUNT]);
      await confirm(device);
      if (what === "a folder") return; // which nothing replaces: each launch looks
      assert.equal((await start(world)).looked, 0);
    }));
}

// DEV-34, DEV-61
test("launch() in the background writes no note, and goes by one that is there", () =>
  withActive(async ({ world, root }) => {
    const looked: string[] = [];
    const device = phone(world, looked);
    const unseen = async () => {
      const { target } = await device.launch({ name: "shell", background: true });
      assert.deepEqual(target, { kind: "version", version: "v1" });
    };
    await unseen();
    assert.equal(looked.length, 0);
    rmSync(join(root, NOTE));
    await unseen();
    assert.equal(looked.length, COUNT);
    assert.ok(!existsSync(join(root, NOTE)));
  }));

// DEV-63
test("a note of folders goes with its version", () =>
  withActive(async ({ world, root }) => {
    for (const [version, tree] of [["v2", V2], ["v3", manyFiles("three")]] as const) {
      await world.publish(version, tree);
      await makeActive(world, phone(world));
    }
    const notes = ["v1", "v2", "v3"].map((v) => existsSync(join(root, `.folders/shell@${v}.json`)));
    assert.deepEqual(notes, [false, true, true]);
  }));

// DEV-32
test("launch() looks at each file of a version of few files, and notes no folder", () =>
  withActive(async ({ world, root }) => {
    assert.ok(!existsSync(join(root, ".folders")));
    assert.equal((await start(world)).looked, 2);
  }, { "index.html": "one", "art/a.bin": "aaa" }));
