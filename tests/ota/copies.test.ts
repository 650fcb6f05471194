import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contentPath, manifestPath } from "../../lib/ota-format/layout.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { refOf } from "../support/release-world.ts";

// PUB-22
test("publish() copies nothing from a version that no signed release vouches for", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    assert.ok((await world.publish("v1", { a: "1" })).ok);
    // Somebody without the key wrote a version: its content is not what its address says.
    const manifest = {
      schema: 1,
      name: "shell",
      version: "v2",
      engineApi: 1,
      files: { b: refOf("good") },
    };
    writeTree(join(folder, "bucket"), {
      [manifestPath("shell", "v2")]: JSON.stringify(manifest),
      [contentPath("shell", "v2", refOf("good").hash)]: "evil",
    });
    const published = await world.publish("v3", { b: "good" });
    assert.ok(published.ok, JSON.stringify(published));
    assert.deepEqual([published.value.files.uploaded, published.value.files.copied], [1, 0]);
    assert.equal((await world.check(world.device())).result, "staged");
  }));

// PUB-22
test("publish() to a folder sends anew what an earlier version holds damaged", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    assert.ok((await world.publish("v1", { a: "same", b: "1" })).ok);
    const stored = join(folder, "bucket", contentPath("shell", "v1", refOf("same").hash));
    writeFileSync(stored, "sane");
    const published = await world.publish("v2", { a: "same", b: "2" });
    assert.ok(published.ok, JSON.stringify(published));
    const copy = join(folder, "bucket", contentPath("shell", "v2", refOf("same").hash));
    assert.equal(readFileSync(copy, "utf8"), "same");
  }));
