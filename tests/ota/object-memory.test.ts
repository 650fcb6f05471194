import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256Hex } from "../../lib/core/sha256.ts";
import { bundleZipPath } from "../../lib/ota-format/layout.ts";
import { createFileBucket } from "../../lib/ota-publish/file/bucket.ts";
import type { Files, FileStat } from "../../lib/ports/files.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld, type Tree } from "../support/ota-world.ts";

// PUB-38

const GAME: Tree = { "index.html": "<h1>game</h1>", "main.js": "sail();", "sky.png": "blue" };

/** A user who publishes, and the number of objects of earlier versions that each publish read. */
async function openPublishes(folder: string) {
  const world = await openOtaWorld(folder);
  const { files: disk, clock: time } = world.runtime;
  const versions = join(folder, "bucket/bundles/shell");
  const scannedFolder = join(folder, "user");
  return {
    world,
    user: scannedFolder,
    object: async (version: string, content: string) =>
      join(versions, version, "files", await sha256Hex(new TextEncoder().encode(content))),
    /** @param over.later Milliseconds by which its clock is ahead of the disk's. */
    async publish(
      version: string,
      over: {
        tree?: Tree;
        later?: number;
        stat?: Files["stat"];
        onStep?: (step: string) => void;
      } = {},
    ) {
      const { tree = GAME, later = 10_000, stat = disk.stat, onStep } = over;
      const read: string[] = [];
      const files: Files = {
        ...disk,
        stat,
        readChunks(path, signal) {
          if (path.startsWith(versions)) read.push(path);
          return disk.readChunks(path, signal);
        },
      };
      const clock = { ...time, now: () => time.now() + later };
      const bucket = createFileBucket({
        ...world.runtime,
        files,
        clock,
        folder: join(folder, "bucket"),
      });
      const work = { files, clock, bucket, scannedFolder, ...(onStep && { onStep }) };
      const published = await world.publish(version, tree, work);
      if (!published.ok) return assert.fail(published.error.message);
      // The zip reads its contents from the new version.
      const before = read.filter((path) => !path.startsWith(`${versions}/${version}/`));
      return { ...published.value.files, read: before.length };
    },
    stat: disk.stat,
  };
}

test("a publish links the objects of the last one without reading them", () =>
  withFolder(async (folder) => {
    const { publish, object } = await openPublishes(folder);
    assert.equal((await publish("v1")).uploaded, 3);
    const second = await publish("v2", { tree: { ...GAME, "main.js": "sail(home);" } });
    assert.deepEqual([second.uploaded, second.copied, second.read], [1, 2, 0]);
    const third = await publish("v3", { tree: { ...GAME, "main.js": "sail(home);" } });
    assert.deepEqual([third.copied, third.read], [3, 0], "links and what was sent are known, too");
    assert.equal(readFileSync(await object("v3", "sail(home);"), "utf8"), "sail(home);");
  }));

test("a publish reads objects that were written just before the last one ended", () =>
  withFolder(async (folder) => {
    const { publish } = await openPublishes(folder);
    await publish("v1", { later: 0 });
    assert.equal((await publish("v2", { later: 0 })).read, 3);
    assert.equal((await publish("v3", { later: 10_000 })).read, 3);
    assert.equal((await publish("v4")).read, 0);
  }));

test("an object that was written over since then is read, and its content sent again", () =>
  withFolder(async (folder) => {
    const { publish, object } = await openPublishes(folder);
    await publish("v1");
    await publish("v2");
    const damaged = await object("v2", "sail();");
    writeFileSync(damaged, "wreck()");
    const third = await publish("v3");
    assert.deepEqual([third.uploaded, third.copied, third.read], [1, 2, 1]);
    assert.equal(readFileSync(await object("v3", "sail();"), "utf8"), "sail();");
  }));

test("an object that was written over before its publish ended is read by the next one", () =>
  withFolder(async (folder) => {
    const { publish, object } = await openPublishes(folder);
    const damaged = await object("v1", "sail();");
    await publish("v1", {
      onStep: (step) => step === "release" && writeFileSync(damaged, "wreck();"),
    });
    const second = await publish("v2");
    assert.deepEqual([second.uploaded, second.copied, second.read], [1, 2, 1]);
    assert.equal(readFileSync(await object("v2", "sail();"), "utf8"), "sail();");
  }));

test("damage that changes no facts of an object does not reach the zip", () =>
  withFolder(async (folder) => {
    const { publish, object, stat } = await openPublishes(folder);
    await publish("v1");
    await publish("v2");
    const damaged = await object("v2", "sail();");
    const before = await stat(damaged);
    writeFileSync(damaged, "wreck()");
    const third = await publish("v3", {
      stat: async (path) => path === damaged ? before : await stat(path),
    });
    assert.deepEqual([third.copied, third.read], [3, 0], "linked, as decision 169 says");
    const zip = readFileSync(join(folder, "bucket", bundleZipPath("shell", "v3")), "utf8");
    assert.ok(zip.includes("sail();") && !zip.includes("wreck()"));
  }));

test("an object whose time was set is read once more", () =>
  withFolder(async (folder) => {
    const { publish, object } = await openPublishes(folder);
    await publish("v1");
    await publish("v2");
    const path = await object("v2", "sail();");
    utimesSync(path, statSync(path).atime, new Date(0));
    assert.equal((await publish("v3")).read, 1);
    assert.equal((await publish("v4")).read, 0);
  }));

const OTHER_FACTS: Readonly<Record<string, (stat: FileStat) => FileStat>> = {
  "another size": (stat) => ({ ...stat, size: stat.size + 1 }),
  "another time": (stat) => ({ ...stat, mtimeMs: stat.mtimeMs - 1 }),
  "another number": ({ inode = 0, ...stat }) => ({ ...stat, inode: inode + 1 }),
  "no number": ({ inode: _, ...stat }) => stat,
};
for (const [what, change] of Object.entries(OTHER_FACTS)) {
  test(`a publish reads an object of which the system reports ${what}`, () =>
    withFolder(async (folder) => {
      const { publish, object, stat } = await openPublishes(folder);
      await publish("v1");
      await publish("v2");
      const changed = await object("v2", "sail();");
      const { read } = await publish("v3", {
        stat: async (path) => {
          const found = await stat(path);
          return found !== null && path === changed ? change(found) : found;
        },
      });
      assert.equal(read, 1);
    }));
}

test("a publish does not trust an index of objects that was changed", () =>
  withFolder(async (folder) => {
    const { publish, user } = await openPublishes(folder);
    await publish("v1");
    for (const name of readdirSync(user)) {
      const kept = readFileSync(join(user, name), "utf8");
      writeFileSync(join(user, name), kept.replace(/"sig":"...../, '"sig":"AAAAA'));
    }
    assert.equal((await publish("v2")).read, 3);
    assert.equal((await publish("v3")).read, 0);
  }));
