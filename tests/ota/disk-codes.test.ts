import assert from "node:assert/strict";
import { test } from "node:test";
import { FileError, type FileErrorCode } from "../../lib/core/file-error.ts";
import { named } from "../../adapters/node/file-failures.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";

const CODES: readonly [string, FileErrorCode, string][] = [
  ["ENOSPC", "full", "disk-full"],
  ["EDQUOT", "full", "disk-full"],
  ["EROFS", "read-only", "disk-read-only"],
  ["EIO", "disk", "disk-failed"],
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
