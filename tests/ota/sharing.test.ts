import assert from "node:assert/strict";
import { chmodSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileError, type FileErrorCode } from "../../lib/core/file-error.ts";
import type { Files } from "../../lib/ports/files.ts";
import { treeOf, withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld, type Tree } from "../support/ota-world.ts";

// DEV-60

const V1: Tree = {
  "index.html": "one",
  "a/same.js": "play();",
  "a/large.bin": "x".repeat(600_000),
};
const V2: Tree = { ...V1, "index.html": "two" };

/** A phone with v1; v2 in the bucket comes as a delta, because `bundle.zip` has the large file. */
async function openPhone(folder: string, v2: Tree = V2): Promise<OtaWorld> {
  const world = await openOtaWorld(folder);
  const noise = (tree: Tree): Tree => ({ ...tree, "noise.png": NOISE });
  assert.ok((await world.publish("v1", noise(V1))).ok);
  assert.equal((await world.check(world.device())).result, "staged");
  assert.ok((await world.publish("v2", noise(v2))).ok);
  world.requests.length = 0;
  return world;
}

const NOISE = crypto.getRandomValues(new Uint8Array(60_000));

const fileOf = (folder: string, version: string, path: string) =>
  join(folder, "phone/shell", version, path);

/** The identity of the file at a path. */
const inodeOf = (folder: string, version: string, path: string) =>
  statSync(fileOf(folder, version, path)).ino;

/** Checks that v2 is complete, and came without its archive. */
async function checkV2(world: OtaWorld, files: Files, v2: Tree = V2): Promise<void> {
  const checked = await world.check(world.device({ files }));
  assert.equal(checked.result, "staged", JSON.stringify(checked));
  assert.ok(!world.requests.some((path) => path.endsWith("bundle.zip")), "a delta");
  const tree = treeOf(join(world.folder, "phone/shell/v2"));
  assert.deepEqual(Object.keys(tree).sort(), [...Object.keys(v2), "noise.png"].sort());
  for (const [path, content] of Object.entries(v2)) assert.equal(tree[path], content, path);
}

test("a delta links what did not change, and no file that did", () =>
  withFolder(async (folder) => {
    const world = await openPhone(folder);
    await checkV2(world, world.runtime.files);
    for (const path of ["a/same.js", "a/large.bin", "noise.png"]) {
      assert.equal(inodeOf(folder, "v1", path), inodeOf(folder, "v2", path), path);
    }
    assert.notEqual(inodeOf(folder, "v1", "index.html"), inodeOf(folder, "v2", "index.html"));
    assert.deepEqual(treeOf(join(folder, "phone/.staging")), {});
  }));

for (const code of ["denied", "other"] satisfies FileErrorCode[]) {
  test(`a delta copies one file at a time where the disk refuses links (${code})`, () =>
    withFolder(async (folder) => {
      const world = await openPhone(folder);
      const { files } = world.runtime;
      let [copying, most] = [0, 0];
      await checkV2(world, {
        ...files,
        link: (from) => Promise.reject(new FileError(code, from, "This disk has no links")),
        async write(path, ...rest) {
          const isCopy = /\.staging\/.*(same\.js|large\.bin|noise\.png)$/.test(path);
          if (isCopy) most = Math.max(most, ++copying);
          return await files.write(path, ...rest).finally(() => isCopy && copying--);
        },
      });
      assert.equal(most, 1);
      assert.notEqual(inodeOf(folder, "v1", "a/same.js"), inodeOf(folder, "v2", "a/same.js"));
    }));
}

test("a delta clones what did not change where the disk clones", () =>
  withFolder(async (folder) => {
    const world = await openPhone(folder);
    const cloned: string[] = [];
    await checkV2(world, {
      ...world.runtime.files,
      async link(from, to) { // as clonefile(2): the same content in another file
        cloned.push(to);
        await world.runtime.files.copy(from, to);
      },
    });
    assert.equal(cloned.length, 4, "the trial, and three files");
    writeFileSync(fileOf(folder, "v1", "a/same.js"), "changed");
    assert.equal(readFileSync(fileOf(folder, "v2", "a/same.js"), "utf8"), "play();");
  }));

for (const shares of [true, false]) {
  test(`a delta needs room for ${shares ? "what is new alone" : "all where nothing is shared"}`, () =>
    withFolder(async (folder) => {
      const world = await openPhone(folder);
      const { files } = world.runtime;
      const refuses = (from: string) =>
        Promise.reject(new FileError("denied", from, "This disk has no links"));
      const checked = await world.check(world.device({
        files: {
          ...files,
          freeSpace: () => Promise.resolve(100),
          ...(!shares && { link: refuses }),
        },
      }));
      assert.equal(checked.result, shares ? "staged" : "stage-failed");
      if (!shares) assert.match(JSON.stringify(checked), /disk-full/);
    }));
}

test("a delta neither keeps nor changes a file of its base that is not what it should be", () =>
  withFolder(async (folder) => {
    const world = await openPhone(folder);
    const damaged = fileOf(folder, "v1", "a/same.js");
    chmodSync(damaged, 0o600);
    writeFileSync(damaged, "plaY();");
    await checkV2(world, world.runtime.files);
    assert.equal(readFileSync(damaged, "utf8"), "plaY();");
    assert.notEqual(inodeOf(folder, "v1", "a/same.js"), inodeOf(folder, "v2", "a/same.js"));
  }));

test("a delta copies a symbolic link of its base as the file that it leads to", () =>
  withFolder(async (folder) => {
    const world = await openPhone(folder);
    const linked = fileOf(folder, "v1", "a/same.js");
    writeFileSync(join(folder, "elsewhere"), "play();");
    unlinkSync(linked);
    symlinkSync(join(folder, "elsewhere"), linked);
    await checkV2(world, world.runtime.files);
    writeFileSync(join(folder, "elsewhere"), "steal();");
    assert.equal(readFileSync(fileOf(folder, "v2", "a/same.js"), "utf8"), "play();");
  }));

test("a file that is removed from one version stays in the one that shares it", () =>
  withFolder(async (folder) => {
    const world = await openPhone(folder);
    await checkV2(world, world.runtime.files);
    await world.runtime.files.remove(join(folder, "phone/shell/v1"));
    assert.equal(readFileSync(fileOf(folder, "v2", "a/same.js"), "utf8"), "play();");
    const twin: Tree = { ...V2, "b/same.js": "play();", "b/twin.js": "new", "c/twin.js": "new" };
    assert.ok((await world.publish("v3", { ...twin, "noise.png": NOISE })).ok);
    assert.equal((await world.check(world.device())).result, "staged");
    assert.equal(inodeOf(folder, "v3", "b/same.js"), inodeOf(folder, "v2", "a/same.js"));
    assert.equal(inodeOf(folder, "v3", "b/twin.js"), inodeOf(folder, "v3", "c/twin.js"));
  }));
