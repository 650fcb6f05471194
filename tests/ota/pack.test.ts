import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Uint8ArrayReader, ZipReader } from "@zip.js/zip.js";
import { scanFolder } from "../../lib/ota-publish/scan.ts";
import { packZip } from "../../lib/ota-publish/pack.ts";
import { streamOf } from "../../lib/archive/mod.ts";
import { bundleFiles } from "../../lib/ota-device/bundle-zip.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { refOf } from "../support/release-world.ts";

test("packZip() gives the same bytes again, and holds every file", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    const files = {
      "a.txt": "a".repeat(100_000),
      "d/b.bin": new Uint8Array(70_000).fill(7),
      "empty": "",
    };
    writeTree(join(folder, "dist"), files);
    const paths = Object.keys(files);
    const scanned = await scanFolder(runtime, join(folder, "dist"));
    assert.ok(scanned.ok);
    const contents = scanned.value;
    const pack = (name: string) =>
      packZip(runtime, {
        folder: join(folder, "dist"),
        files: contents,
        target: join(folder, name),
      });
    const first = await pack("1.zip");
    assert.deepEqual(await pack("2.zip"), first);
    // The bytes that every runtime and time zone must come to.
    assert.equal(first.hash, "9883d9ce34956ed1d629c08b0598f7341c139db92a729a6596f01d7957c2101f");
    const found: string[] = [];
    const zip = { files: runtime.files, path: join(folder, "1.zip"), size: first.size };
    for await (const file of bundleFiles(zip)) {
      const text = await new Response(streamOf(file.open())).text();
      const expected = Object.entries(files).find(([path]) => path === file.name)?.[1];
      assert.equal(
        text,
        typeof expected === "string" ? expected : new TextDecoder().decode(expected),
      );
      found.push(file.name);
    }
    assert.deepEqual(found, paths);
  }));

test("packZip() that is given up while it reads fails once, and nowhere else", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    const abort = new AbortController();
    const slow = {
      ...runtime.files,
      read: async () => {
        abort.abort(new Error("given up"));
        await new Promise((resolve) => setTimeout(resolve, 20)); // the writer fails meanwhile
        throw new Error("read too late");
      },
    };
    const packing = packZip({ ...runtime, files: slow, signal: abort.signal }, {
      folder,
      files: { a: refOf("one") },
      target: join(folder, "1.zip"),
    });
    await assert.rejects(packing, /read too late|given up/);
    assert.ok(!existsSync(join(folder, "1.zip")));
  }));

test("packZip() stores what is compressed already, and deflates the rest", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    const bytes = new Uint8Array(10_000);
    const tree = { "a.PNG": bytes, "b.json": bytes, "c.ogg": bytes, "png": bytes };
    writeTree(join(folder, "dist"), tree);
    const scanned = await scanFolder(runtime, join(folder, "dist"));
    assert.ok(scanned.ok);
    const target = join(folder, "x.zip");
    await packZip(runtime, { folder: join(folder, "dist"), files: scanned.value, target });
    const zip = new ZipReader(new Uint8ArrayReader(readFileSync(target)), { useWebWorkers: false });
    const methods = (await zip.getEntries()).map((e) => [e.filename, e.compressedSize < 1_000]);
    await zip.close();
    assert.deepEqual(methods, [["a.PNG", false], ["b.json", true], ["c.ogg", false], [
      "png",
      true,
    ]]);
  }));
