import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;
const ONLY_LINUX = process.platform === "linux"
  ? false
  : `${process.platform} names no file by an open folder, and reads it to look at it`;

/** Runs work with a folder that any user reaches: that of the gate is closed to all but its own. */
async function withOpenFolder(work: (folder: string) => Promise<void>): Promise<void> {
  if (!isRoot) return await withFolder(work);
  const folder = mkdtempSync("/tmp/slipway-test-");
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs work as a user whom the modes of folders bind: nothing is closed to root. */
async function bound(folders: readonly string[], work: () => Promise<void>): Promise<void> {
  if (!isRoot) return await work();
  for (const folder of folders) chownSync(folder, NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

test("a folder that may be entered and not read is written in, also where links are refused", {
  skip: ONLY_LINUX,
}, () =>
  withOpenFolder(async (root) => {
    const { files } = await loadRuntime();
    const folder = join(root, "closed");
    await files.makeDirectory(folder);
    await bound([root, folder], async () => {
      chmodSync(folder, 0o300);
      const [first, second] = [join(folder, "a.txt"), join(folder, "b.txt")];
      const bytes = encodeUtf8("whole");
      await files.write(first, bytes, { links: "refused" });
      await files.rename(first, second, "refused");
      await files.makeDirectory(join(folder, "deeper"), "refused");
      await files.writeAtomic(join(folder, "deeper", "c.txt"), bytes, { links: "refused" });
      await files.remove(join(folder, "deeper"), "refused");
      assert.equal(statSync(join(folder, "deeper"), { throwIfNoEntry: false }), undefined);
      assert.equal(readFileSync(second, "utf8"), "whole");
      chmodSync(folder, 0o700);
    });
  }));
