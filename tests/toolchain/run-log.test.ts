import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { takeLock } from "../../lib/toolchain/installed/lock.ts";
import { followRun, openRunLog } from "../../lib/toolchain/installed/run-log.ts";
import { until } from "../support/until.ts";
import { toolchainFolder } from "./install-world.ts";
import { folder, runtime } from "./real-machine.ts";

const silent = { log: () => undefined, progress: () => undefined };

test("the log of a run that talks for ever ends at 4 MiB, and its outcome is in it", async () => {
  const context = { ...runtime, folder: toolchainFolder(join(folder(), "töol chain")) };
  const lock = await takeLock("jdk", context);
  assert.ok("release" in lock);
  const log = openRunLog({ id: "jdk", token: lock.token, progress: silent }, context);
  const line = "x".repeat(1_000);
  for (let i = 0; i < 10_000; i++) log.log(line);

  const waiting = await takeLock("jdk", context);
  assert.ok(!("release" in waiting));
  const heard: string[] = [];
  const following = followRun({
    id: "jdk",
    owner: waiting,
    progress: { ...silent, log: (text) => heard.push(text) },
    signal: AbortSignal.timeout(300_000),
  }, context);
  // An outcome that is there at the first look is of a run before.
  const hasRead = () => /more was said/.test(heard.at(-1) ?? "");
  await until("the follower has read the last line", hasRead);
  const outcome = { ok: true, version: "21", path: "/jdk" } as const;
  await log.end(outcome);
  assert.deepEqual(await following, { kind: "outcome", outcome });
  await lock.release();

  const { size } = statSync(join(context.folder.root, `locks/jdk.${lock.token}.log`));
  assert.ok(size > 4_000_000 && size < 4 * 1024 * 1024 + 1_000, String(size));
});
