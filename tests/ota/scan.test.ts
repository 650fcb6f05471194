import assert from "node:assert/strict";
import { readdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import { DEFAULT_TARGET } from "../../lib/ota-format/release.ts";
import { embedManifest } from "../../lib/ota-publish/embed.ts";
import { scanFolder } from "../../lib/ota-publish/scan.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";

test("scanFolder() says of a folder that may not be read that it may not", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    const denied = (path: string) =>
      Promise.reject(new FileError("denied", path, `May not look at ${path}`));
    for (const way of ["realPath", "stat", "list"] as const) {
      const files = { ...runtime.files, [way]: denied };
      const refused = await scanFolder({ ...runtime, files }, folder);
      assert.ok(!refused.ok && refused.error.code === "unreadable", way);
      assert.match(refused.error.message, /May not look/);
      assert.match(refused.error.next ?? "", /readable/);
    }
  }));

test("scanFolder() that is given up says so, and does not blame the folder", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    writeTree(folder, { small: "a", large: new Uint8Array(3_000_000) });
    for (const at of ["list", "stat", "readChunks"] as const) {
      const abort = new AbortController();
      const given = (path: string, ...rest: readonly never[]) => {
        abort.abort(new Error("Ctrl-C"));
        const way: (...args: readonly never[]) => unknown = runtime.files[at];
        return way(...[path, ...rest] as never[]);
      };
      const files = { ...runtime.files, [at]: given };
      const stopped = await scanFolder({ ...runtime, files, signal: abort.signal }, folder);
      assert.ok(!stopped.ok && stopped.error.code === "cancelled", JSON.stringify(stopped));
      assert.match(stopped.error.message, /it was cancelled/);
    }
  }));

test("scanFolder() leaves the mark of a build out, at the top only", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    writeTree(folder, { "a": "a", ".slipway-build": "ours", "js/.slipway-build": "theirs" });
    const scanned = await scanFolder(runtime, folder);
    assert.deepEqual(scanned.ok && Object.keys(scanned.value), ["a", "js/.slipway-build"]);
  }));

test("scanFolder() leaves the embedded manifest out: what an app was built with is no part of an update", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    const name = "ota-embedded-manifest.json";
    writeTree(folder, { "a": "a", [name]: "{}", [`js/${name}`]: "theirs" });
    const scanned = await scanFolder(runtime, folder);
    assert.deepEqual(scanned.ok && Object.keys(scanned.value), ["a", `js/${name}`]);
  }));

for (const kind of ["file", "directory"] as const) {
  test(`scanFolder() says of a ${kind} whose name is not UTF-8 that it is not`, () =>
    withFolder(async (folder) => {
      const { runtime } = await openOtaWorld(folder);
      const dist = join(folder, "dist");
      writeTree(dist, { "a": "a", "caf\ufffd": "a name like any other" });
      const name = "b\ufffd"; // what runtimes make of b"b\xff"
      const files: typeof runtime.files = {
        ...runtime.files,
        list: async (path) => {
          const entries = await runtime.files.list(path);
          return path.endsWith("dist") ? [...entries ?? [], { name, kind }] : entries;
        },
      };
      const refused = await scanFolder({ ...runtime, files }, dist);
      assert.ok(!refused.ok && refused.error.code === "path");
      assert.match(refused.error.message, /"b\ufffd": its name is not UTF-8/);
      assert.ok((await scanFolder(runtime, dist)).ok);
    }));
}

test("embedManifest() writes nothing through a link that takes the place of its folder (TOOL-13)", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    const [dist, outside] = [join(folder, "dist"), join(folder, "outside")];
    writeTree(dist, { a: "a" });
    writeTree(outside, { b: "b" });
    let isSwapped = false;
    const onProgress = () => { // while the only file is hashed
      if (isSwapped) return;
      isSwapped = true;
      renameSync(dist, join(folder, "moved"));
      symlinkSync(outside, dist);
    };
    const request = { dist, name: "shell", engineApi: 1, target: DEFAULT_TARGET, sequence: 0 };
    const embedded = await embedManifest({ ...runtime, onProgress }, request);
    assert.ok(isSwapped && !embedded.ok && embedded.error.code === "write");
    assert.deepEqual(readdirSync(outside), ["b"]);
  }));
