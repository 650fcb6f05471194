import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JobSnapshot } from "../../lib/core/jobs.ts";
import type { Problem } from "../../lib/core/problem.ts";
import type { Result } from "../../lib/core/result.ts";
import { withFolder, writeTree } from "../support/folder.ts";

import { eventsOf, openPublishWorld, type PublishWorld } from "./publish-world.ts";

// What is done with updates once they are out, on a real bucket in a folder.

const DAY_MS = 24 * 60 * 60_000;

async function withWorld(work: (world: PublishWorld) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => await work(await openPublishWorld(folder)));
}

async function publishAll(world: PublishWorld, versions: readonly string[]): Promise<void> {
  for (const version of versions) {
    writeTree(world.root, { "web/game.js": `console.log("${version}");` });
    const { data } = await world.publish({ version });
    assert.equal(data.ok, true, JSON.stringify(data));
  }
}

/** How a job ended: the data of its last event. */
async function endOf({ jobs }: PublishWorld, started: Promise<Result<JobSnapshot, Problem>>) {
  const job = await started;
  assert.ok(job.ok, JSON.stringify(job));
  // deno-lint-ignore no-explicit-any
  const data: any = (await eventsOf(jobs, job.value.id)).at(-1)?.data;
  return data;
}

test("a project's history is what was signed for its bucket, newest first, and says how much is older", () =>
  withWorld(async (world) => {
    await publishAll(world, ["v1", "v2", "v3"]);
    const history = await world.updates.history({ limit: 2 });
    assert.ok(history.ok);
    const { bundleName, older, releases } = history.value;
    assert.deepEqual([bundleName, older], ["shell", 1]);
    assert.deepEqual(releases.map(({ sequence, state, bundles }) => [sequence, state, bundles]), [
      [3, "current", { shell: "v3" }],
      [2, "past", { shell: "v2" }],
    ]);
    assert.ok(Math.abs(Date.parse(releases[0]?.writtenAt ?? "") - Date.now()) < DAY_MS);
  }));

test("what is served is sound, until a byte of it is another", () =>
  withWorld(async (world) => {
    await publishAll(world, ["v1"]);
    const good = await endOf(world, world.updates.verify());
    assert.deepEqual([good.ok, good.sound, good.sequence, good.findings], [true, true, 1, []]);
    const files = join(world.bucket, "bundles/shell/v1/files");
    const [name = ""] = readdirSync(files);
    writeFileSync(join(files, name), "something else");
    const bad = await endOf(world, world.updates.verify());
    assert.deepEqual([bad.ok, bad.sound], [true, false]);
    assert.ok(bad.findings.some(({ code }: { code: string }) => code === "content"), bad);
  }));

test("a prune tells what would go, and removes it only when it is to be applied", () =>
  withWorld(async (world) => {
    await publishAll(world, ["v1", "v2", "v3"]);
    const old = join(world.bucket, "bundles/shell/v1/bundle.zip");
    const plan = await endOf(world, world.updates.prune({ keep: 2, graceDays: 0 }));
    const verdicts = (found: typeof plan) =>
      found.versions.map((one: { version: string; verdict: string }) => [one.version, one.verdict]);
    const want = [["v3", "released"], ["v2", "newest"], ["v1", "prune"]];
    assert.deepEqual([plan.applied, verdicts(plan)], [false, want]);
    assert.ok(plan.bytes > 0 && existsSync(old));
    const done = await endOf(world, world.updates.prune({ keep: 2, graceDays: 0, apply: true }));
    assert.deepEqual([done.applied, done.failures, existsSync(old)], [true, [], false]);
  }));

test("a rollback tells what it would do, then players get the earlier version in a newer release", () =>
  withWorld(async (world) => {
    await publishAll(world, ["v1", "v2"]);
    const plan = await endOf(world, world.updates.rollBack({ to: "v1" }));
    assert.deepEqual([plan.applied, plan.from, plan.version, plan.sequence], [
      ...[false, "v2", "v1", 3],
    ]);
    const before = await world.updates.status();
    assert.ok(before.release?.state === "verified" && before.release.version === "v2");
    const done = await endOf(world, world.updates.rollBack({ to: "v1", apply: true }));
    assert.deepEqual([done.applied, done.sequence], [true, 3]);
    const after = await world.updates.status();
    assert.ok(after.release?.state === "verified" && after.release.version === "v1");
  }));

const REFUSED: readonly (readonly [
  string,
  (world: PublishWorld) => void,
  (world: PublishWorld) => Promise<Result<unknown, Problem>>,
  string,
])[] = [
  ["a history while updates are off", off, (w) => w.updates.history({ limit: 1 }), "ota-disabled"],
  ["a look while updates are off", off, (w) => w.updates.verify(), "ota-disabled"],
  ["a prune while updates are off", off, (w) => w.updates.prune({}), "ota-disabled"],
  [
    "a rollback while updates are off",
    off,
    (w) => w.updates.rollBack({ to: "v1" }),
    "ota-disabled",
  ],
  [
    "a history without a bucket",
    (world) => world.configure({ publish: undefined }),
    (w) => w.updates.history({ limit: 1 }),
    "no-bucket",
  ],
  [
    "a rollback to no version",
    () => {},
    (w) => w.updates.rollBack({ to: "v1; rm -rf /" }),
    "unsafe-value",
  ],
];

function off(world: PublishWorld): void {
  world.configure({ ota: { enabled: false } });
}

for (const [title, prepare, call, code] of REFUSED) {
  test(`${title} is refused: ${code}`, () =>
    withWorld(async (world) => {
      prepare(world);
      const refused = await call(world);
      assert.deepEqual(refused.ok ? null : refused.error.code, code);
    }));
}

test("a rollback without the signing key is a job that says how to get one", () =>
  withWorld(async (world) => {
    await publishAll(world, ["v1", "v2"]);
    rmSync(join(world.userData, "ota-keys"), { recursive: true });
    const ended = await endOf(world, world.updates.rollBack({ to: "v1", apply: true }));
    assert.equal(ended.code, "missing-key");
  }));
