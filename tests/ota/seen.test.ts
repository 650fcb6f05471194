import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import { ok } from "../../lib/core/result.ts";
import { openSeenSequence } from "../../lib/ota-publish/seen.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";

test("openSeenSequence() remembers the highest, per bucket and target", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    const open = (bucket: string, channel = "production") =>
      openSeenSequence(runtime, folder, { bucket, target: { app: "default", channel } });
    const seen = await open("file:///a");
    assert.deepEqual(await seen.read(), ok(0));
    assert.deepEqual(await seen.raise(5), ok(5));
    assert.deepEqual(await seen.raise(3), ok(5));
    assert.deepEqual(await (await open("file:///a")).read(), ok(5));
    await Promise.all([9, 12, 7, 11, 8].map((sequence) => seen.raise(sequence)));
    assert.deepEqual(await seen.read(), ok(12), "of several at once the highest stays");
    assert.deepEqual(await (await open("file:///b")).read(), ok(0));
    assert.deepEqual(await (await open("file:///a", "beta")).read(), ok(0));
  }));

test("openSeenSequence() on a full disk says to free space", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    const makeDirectory = (path: string) =>
      Promise.reject(new FileError("full", path, `Cannot make folder ${path}: the disk is full`));
    const seen = await openSeenSequence(
      { ...runtime, files: { ...runtime.files, makeDirectory } },
      folder,
      {
        bucket: "file:///a",
        target: { app: "default", channel: "production" },
      },
    );
    const raised = await seen.raise(0);
    assert.match(
      raised.ok ? "" : raised.error.next ?? "",
      /^Free space on the disk of .*ota-seen$/,
    );
  }));

test("openSeenSequence() in a folder that cannot be is a failure, not a throw", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    writeFileSync(join(folder, "file"), "");
    const seen = await openSeenSequence(runtime, join(folder, "file"), {
      bucket: "file:///a",
      target: { app: "default", channel: "production" },
    });
    const raised = await seen.raise(0);
    assert.ok(!raised.ok && raised.error.code === "memory");
    assert.match(raised.error.next ?? "", /ota-seen/);
  }));
