import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileError, type FileErrorCode } from "../../lib/core/file-error.ts";
import { named } from "../../adapters/node/file-failures.ts";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { createDevice } from "../support/device-under-test.ts";
import { withFolder } from "../support/folder.ts";
import { bytesOf } from "../support/hostile-zips.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { manifestOfZip, refOf } from "../support/zip-manifest.ts";
import { FILES, HONEST } from "./hostile-archives.ts";

const CODES: readonly [string, FileErrorCode, string][] = [
  ["ENOSPC", "full", "disk-full"],
  ["EDQUOT", "full", "disk-full"],
  ["EROFS", "read-only", "disk-read-only"],
  ["EIO", "disk", "disk-failed"],
  ["EBADMSG", "disk", "disk-failed"],
  ["Unknown system error -117", "disk", "disk-failed"], // EUCLEAN, which Node does not name
  ["EMFILE", "other", "io"],
];

for (const [errno, fileCode, code] of CODES) {
  test(`the device tells ${errno} as ${code}, in answers, errors and checks (DEV-29)`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      const refuse = () => Promise.reject(Object.assign(new Error(errno), { code: errno }));
      const writeAtomic = (path: string) => named({ action: "write", path }, refuse);
      await assert.rejects(
        writeAtomic("a"),
        (thrown) => thrown instanceof FileError && thrown.code === fileCode,
      );
      await world.publish("v1", { "index.html": "one" });
      const device = world.device({ files: { ...world.runtime.files, writeAtomic } });
      const line = { app: "default", channel: "production" };
      await assert.rejects(device.acceptSequence({ ...line, sequence: 1 }), { code });
      const check = await world.check(device);
      assert.equal(check.result, "stage-failed");
      assert.ok("detail" in check && check.detail.startsWith(`${code}: `), JSON.stringify(check));
      const native = { ...device, acceptSequence: () => Promise.resolve() };
      const staged = await world.check(native);
      assert.ok(
        "detail" in staged && staged.detail.startsWith(`${code}: `),
        JSON.stringify(staged),
      );
    }));
}

test("a whole bundle whose last file finds no room is told as disk-full (DEV-29)", () =>
  withFolder(async (folder) => {
    const { files, fetch: _, ...runtime } = await loadRuntime();
    const last = refOf(bytesOf(FILES["sky.png"] ?? ""));
    const write: typeof files.write = (path, body, how) => {
      if (path.includes(last.hash)) throw new FileError("full", path, "the disk is full");
      return files.write(path, body, how);
    };
    const root = join(folder, "phone");
    const device = createDevice({
      ...runtime,
      files: { ...files, write },
      fetch: () => Promise.resolve(new Response(HONEST)),
      root,
    });
    const manifest = serializeManifest(manifestOfZip("v1", HONEST, FILES));
    const request = { name: "shell", version: "v1", manifest, zipUrl: "https://cdn.example/zip" };
    const answer = await device.stageUpdate(request);
    assert.equal(!answer.ok && answer.code, "disk-full", JSON.stringify(answer));
    assert.ok(!existsSync(join(root, ".complete/shell@v1.json")));
  }));
