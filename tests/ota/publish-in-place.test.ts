import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256Hex } from "../../lib/core/sha256.ts";
import { bundleFiles } from "../../lib/ota-device/bundle-zip.ts";
import { streamOf } from "../../lib/archive/mod.ts";
import { createFileBucket } from "../../lib/ota-publish/file/bucket.ts";
import type { Files } from "../../lib/ports/files.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";

const GAME = {
  "index.html": "<h1>game</h1>",
  "large.js": "ship.sail();\n".repeat(100_000),
  "sky.png": "blue".repeat(100_000),
};

/** The real file system, with a say before each call. */
function watched(files: Files, before: (name: keyof Files, path: string) => void): Files {
  return {
    ...files,
    read: (path, ...rest) => (before("read", path), files.read(path, ...rest)),
    openRead: (path, ...rest) => (before("openRead", path), files.openRead(path, ...rest)),
    readChunks: (path, ...rest) => (before("readChunks", path), files.readChunks(path, ...rest)),
    write: (path, ...rest) => (before("write", path), files.write(path, ...rest)),
    sync: (path) => (before("sync", path), files.sync(path)),
  };
}

test("publish() to a folder reads each file twice, writes the zip once and syncs the contents' folder once", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const calls: string[] = [];
    const files = watched(world.runtime.files, (name, path) => void calls.push(`${name} ${path}`));
    const bucket = createFileBucket({ ...world.runtime, files, folder: join(folder, "bucket") });
    const zipBytes: number[] = [];
    const published = await world.publish("v1", GAME, {
      bucket,
      files,
      onStep: (step) => {
        if (step !== "claim") return;
        for (const name of readdirSync(join(folder, "bucket"))) {
          const path = join(folder, "bucket", name);
          if (name.startsWith(".slipway-")) zipBytes.push(statSync(path).size);
        }
      },
    });
    assert.ok(published.ok);
    const reads = calls.filter((call) => /^(read|openRead|readChunks) .*\/dist/.test(call));
    assert.equal(reads.length, 2 * Object.keys(GAME).length);
    const zip = join(folder, "bucket/bundles/shell/v1/bundle.zip");
    assert.deepEqual(zipBytes, [statSync(zip).size], "packed before the claim, in the bucket");
    assert.equal(calls.filter((call) => /^sync .*\/v1\/files$/.test(call)).length, 1);
    assert.deepEqual(
      readdirSync(join(folder, "bucket")).filter((name) => name.startsWith(".slipway-")),
      [],
      "nothing is left beside the objects",
    );
  }));

// Whenever the folder changes: a version that is out is what its manifest says.
for (const path of Object.keys(GAME)) {
  for (const when of ["first", "second", "third"] as const) {
    test(`publish() of ${path}, changed before its ${when} read, publishes what was hashed or nothing`, () =>
      withFolder(async (folder) => {
        const world = await openOtaWorld(folder);
        let reads = 0;
        const from = { first: 1, second: 2, third: 3 }[when];
        const files = watched(world.runtime.files, (name, at) => {
          if (name === "write" || name === "sync" || !/\/dist/.test(at)) return;
          if (!at.endsWith(`/${path}`) || ++reads !== from) return;
          const bytes = readFileSync(at);
          bytes[9] = (bytes[9] ?? 0) ^ 1;
          writeFileSync(at, bytes);
        });
        const bucket = createFileBucket({
          ...world.runtime,
          files,
          folder: join(folder, "bucket"),
        });
        const published = await world.publish("v1", GAME, { bucket, files });
        assert.equal(published.ok, when !== "second", JSON.stringify(published));
        if (!published.ok) return;
        const version = join(folder, "bucket/bundles/shell/v1");
        const manifest = JSON.parse(readFileSync(join(version, "manifest.json"), "utf8"));
        const zip = join(version, "bundle.zip");
        const source = { files: world.runtime.files, path: zip, size: statSync(zip).size };
        for await (const file of bundleFiles(source)) {
          const bytes = await new Response(streamOf(file.open())).arrayBuffer();
          const { hash } = manifest.files[file.name];
          assert.equal(await sha256Hex(new Uint8Array(bytes)), hash);
          assert.equal(await sha256Hex(readFileSync(join(version, "files", hash))), hash);
        }
      }));
  }
}
