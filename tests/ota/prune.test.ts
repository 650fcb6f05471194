import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { err, fail, ok } from "../../lib/core/result.ts";
import { sha256Hex } from "../../lib/core/sha256.ts";
import { manifestPath, RELEASE_PATH } from "../../lib/ota-format/layout.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { DEFAULT_TARGET } from "../../lib/ota-format/release.ts";
import { readBucketState } from "../../lib/ota-publish/bucket-state.ts";
import { planPublish } from "../../lib/ota-publish/plan.ts";
import { prune, type PruneReport, type PruneRequest } from "../../lib/ota-publish/prune.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";

const DAY_MS = 24 * 3_600_000;
const REQUEST: PruneRequest = { keep: 2, graceMs: 7 * DAY_MS, apply: true };

/** Publishes v1 to v5, each with a file of its own, and makes all of it look a month old. */
async function publishFive(world: OtaWorld): Promise<void> {
  for (let n = 1; n <= 5; n++) {
    assert.ok((await world.publish(`v${n}`, { "index.html": `${n}`, same: "same" })).ok);
  }
  age(join(world.folder, "bucket"));
}

function age(folder: string): void {
  const old = new Date(Date.now() - 30 * DAY_MS);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), old, old);
  }
}

/** Runs a prune; `atStep` runs as each of its steps begins. */
async function run(
  world: OtaWorld,
  over: Partial<PruneRequest> = {},
  { bucket = world.bucket, atStep }: {
    readonly bucket?: Bucket;
    readonly atStep?: (step: string) => Promise<void>;
  } = {},
) {
  const { clock } = await loadRuntime();
  return await prune({
    // Each step ends with a wait or a question to the bucket, where the publisher gets its turn.
    bucket: { ...bucket, ...(atStep && turns(bucket, atStep)) },
    clock,
  }, { ...REQUEST, ...over });
}

/** The bucket as a prune sees it, with a publisher's turn before each kind of call. */
function turns(bucket: Bucket, turn: (step: string) => Promise<void>): Partial<Bucket> {
  let reads = 0;
  return {
    read: async (key, maxBytes) => {
      await turn(`read ${++reads}`);
      return await bucket.read(key, maxBytes);
    },
    put: async (key, body, options) => {
      await turn(key === RELEASE_PATH ? "fence" : "mark");
      return await bucket.put(key, body, options);
    },
    async *objects(prefix) {
      await turn(prefix === "bundles" ? "list" : "list again");
      yield* bucket.objects(prefix);
    },
  };
}

function done(result: Awaited<ReturnType<typeof prune>>): PruneReport {
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

function verdicts({ versions }: PruneReport): Record<string, string> {
  return Object.fromEntries(versions.map(({ version, verdict }) => [version, verdict]));
}

test("prune() removes the files of old versions, and never a manifest", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishFive(world);
    const report = done(await run(world));
    assert.deepEqual(verdicts(report), {
      v5: "released",
      v4: "newest",
      v3: "prune",
      v2: "prune",
      v1: "prune",
    });
    assert.deepEqual([report.applied, report.objects, report.failures], [true, 9, []]);
    const versions = join(folder, "bucket/bundles/shell");
    for (const version of ["v1", "v2", "v3"]) {
      assert.deepEqual(
        readdirSync(join(versions, version), { recursive: true }).map(String).sort(),
        ["files", "manifest.json", "pruned.json"],
      );
    }
    assert.equal(readdirSync(join(versions, "v4/files")).length, 2);
    assert.equal((await world.check(world.device())).result, "staged", "players are not disturbed");
    assert.deepEqual(verdicts(done(await run(world)))["v3"], "empty", "a second run finds nothing");
  }));

test("a plan after prune() counts what pruned versions held as new, and their devices as before", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishFive(world);
    done(await run(world));
    const manifest = {
      schema: 1,
      name: "shell",
      version: "v6",
      engineApi: 1,
      files: { "index.html": { hash: await sha256Hex(encodeUtf8("2")), size: 1 } },
    } as const;
    const state = await readBucketState({
      bucket: world.bucket,
      key: world.key,
      target: DEFAULT_TARGET,
      minSequence: 0,
    }, manifest);
    assert.ok(state.ok);
    const plan = await planPublish(world.bucket, manifest, state.value);
    assert.ok(plan.ok);
    assert.deepEqual([plan.value.newFiles, plan.value.knownFiles], [1, 0]);
    const ofV2 = plan.value.updates.find(({ from }) => from === "v2");
    const nothing = { bytes: 0, requests: 0, wayBytes: { delta: 0 } };
    const fetched = { downloadBytes: 0, downloadFiles: 0 };
    assert.deepEqual(ofV2, { from: "v2", way: "delta", ...nothing, ...fetched });
  }));

test("prune() plans without apply, and changes nothing", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishFive(world);
    const before = readdirSync(join(folder, "bucket"), { recursive: true }).map(String).sort();
    const report = done(await run(world, { apply: false }));
    assert.deepEqual([report.applied, report.objects], [false, 9]);
    assert.ok(report.bytes > 0);
    assert.deepEqual(
      readdirSync(join(folder, "bucket"), { recursive: true }).map(String).sort(),
      before,
    );
  }));

test("prune() keeps what is young, what is newest, and what the release names however old", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishFive(world);
    assert.ok((await world.publish("v6", { "index.html": "6" })).ok);
    const touched = join(folder, "bucket", manifestPath("shell", "v2"));
    utimesSync(touched, new Date(), new Date());
    assert.deepEqual(verdicts(done(await run(world, { apply: false, keep: 1 }))), {
      v6: "released",
      v5: "prune",
      v4: "prune",
      v3: "prune",
      v2: "young",
      v1: "prune",
    });
    assert.deepEqual(done(await run(world, { apply: false, graceMs: 90 * DAY_MS })).objects, 0);
    // Going back: v1's content is published anew as v7, and v1 itself may go.
    assert.ok((await world.publish("v7", { "index.html": "1" })).ok);
    assert.equal(verdicts(done(await run(world, { apply: false, keep: 1 })))["v7"], "released");
  }));

test("prune() removes what was uploaded and never claimed, and the litter of dead writers", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishFive(world);
    const bucket = join(folder, "bucket");
    rmSync(join(bucket, manifestPath("shell", "v1")));
    const litter = join(bucket, "bundles/shell/v5/.slipway-0a1b2c3d-0000-4000-8000-000000000000");
    writeFileSync(litter, "half");
    writeFileSync(join(bucket, "bundles/readme.txt"), "a stranger's");
    age(bucket);
    const report = done(await run(world));
    assert.equal(report.unfinished, 1);
    assert.ok(!existsSync(litter) && existsSync(join(bucket, "bundles/readme.txt")));
    const again = await world.publish("v1", { "index.html": "1", same: "same" });
    assert.ok(!again.ok && again.error.code === "version-exists", "the number is used up");
    assert.match(again.error.next ?? "", /publish as v6/);
  }));

test("prune() refuses a bucket whose release it cannot read or trust", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishFive(world);
    const path = join(folder, "bucket/release.json");
    const good = readFileSync(path, "utf8");
    const wrongKey = await run(world, { publicKey: "A".repeat(43) });
    assert.ok(!wrongKey.ok && wrongKey.error.code === "invalid-release");
    assert.ok((await run(world, { apply: false, publicKey: world.key.publicKey })).ok);
    for (const text of ["", "{}", "[]", good.replace('"v5"', '"5"'), good.slice(1)]) {
      writeFileSync(path, text);
      const refused = await run(world);
      assert.ok(!refused.ok && refused.error.code === "invalid-release", text);
    }
    rmSync(path);
    const missing = await run(world);
    assert.ok(!missing.ok && missing.error.code === "no-release");
    for (const keep of [0, -1, 1.5]) assert.ok(!(await run(world, { keep })).ok);
    assert.equal(readdirSync(join(folder, "bucket/bundles/shell/v1/files")).length, 2);
  }));

test("prune() tells what it could not remove, and goes on with the rest", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishFive(world);
    const bucket: Bucket = {
      ...world.bucket,
      remove: (key) =>
        key.includes("/v2/")
          ? Promise.resolve(fail("denied", `May not: ${key}`))
          : world.bucket.remove(key),
    };
    const report = done(await run(world, {}, { bucket }));
    assert.equal(report.failures.length, 3);
    assert.equal(report.objects, 6, "what is told as removed is gone");
    const [, , , v2, v1] = report.versions;
    assert.deepEqual([v2?.objects, v2?.bytes, v1?.objects], [0, 0, 3]);
    assert.equal(readdirSync(join(folder, "bucket/bundles/shell/v2/files")).length, 2);
    assert.equal(readdirSync(join(folder, "bucket/bundles/shell/v1/files")).length, 0);
    const unreachable: Bucket = {
      ...world.bucket,
      async *objects() {
        yield await Promise.resolve(err({ code: "unreachable", message: "No way" } as const));
      },
    };
    const failed = await run(world, {}, { bucket: unreachable });
    assert.ok(!failed.ok && failed.error.code === "bucket");
  }));

// A publisher goes back to v2 by resuming it, whole, at one point of a prune. Whatever the point,
// what the release names in the end must be whole.
for (const turn of ["read 1", "list", "mark", "read 2", "fence", "list again"]) {
  test(`prune() and a publisher that resumes an old version at "${turn}" harm nobody`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      await publishFive(world);
      // v2 was begun long ago and never released.
      const path = join(folder, "bucket/release.json");
      let published: Awaited<ReturnType<OtaWorld["publish"]>> | null = null;
      const report = done(
        await run(world, {}, {
          async atStep(step) {
            if (step !== turn || published !== null) return;
            published = await world.publish("v2", { "index.html": "2", same: "same" }, {
              allowOlder: true,
              clock: { ...world.runtime.clock, sleep: () => Promise.resolve() },
            });
          },
        }),
      );
      assert.ok(published !== null);
      const { ok: won }: { ok: boolean } = published;
      const released = JSON.parse(readFileSync(path, "utf8")).bundles.shell;
      assert.equal(released, won ? "v2" : "v5");
      const device = world.device();
      assert.equal((await world.check(device)).result, "staged", "the released version is whole");
      assert.equal(verdicts(report)["v2"] === "prune", !won);
      const marked = existsSync(join(folder, "bucket/bundles/shell/v2/pruned.json"));
      assert.equal(marked, !won, "a version that is spared loses its mark");
    }));
}

test("a publisher that is slower than a whole prune does not get its version released", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishFive(world);
    const before = readFileSync(join(folder, "bucket/release.json"), "utf8");
    // Everything is looked at; then the line is dead until the prune is over.
    let report: PruneReport | null = null;
    const late: Bucket = {
      ...world.bucket,
      async put(key, body, options) {
        if (key === RELEASE_PATH) report ??= done(await run(world));
        return await world.bucket.put(key, body, options);
      },
    };
    const published = await world.publish("v2", { "index.html": "2", same: "same" }, {
      allowOlder: true,
      bucket: late,
      clock: { ...world.runtime.clock, sleep: () => Promise.resolve() },
    });
    assert.ok(!published.ok && published.error.code === "pruned", JSON.stringify(published));
    assert.ok(report !== null);
    assert.equal(verdicts(report)["v2"], "prune");
    const after = readFileSync(join(folder, "bucket/release.json"), "utf8");
    assert.notEqual(after, before, "other bytes");
    assert.deepEqual(JSON.parse(after), JSON.parse(before), "that say the same");
    assert.equal((await world.check(world.device())).result, "staged");
  }));

test("prune() that is given up ends at once and says so, and can be run again", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishFive(world);
    const abort = new AbortController();
    let removed = 0;
    const bucket: Bucket = {
      ...world.bucket,
      remove(key) {
        removed++;
        abort.abort(new Error("interrupted by SIGINT"));
        return world.bucket.remove(key);
      },
    };
    const stopped = await prune(
      { bucket, clock: world.runtime.clock, signal: abort.signal },
      REQUEST,
    );
    assert.ok(!stopped.ok && stopped.error.code === "cancelled", JSON.stringify(stopped));
    assert.match(stopped.error.message, /interrupted by SIGINT/);
    assert.equal(removed, 1);
    assert.equal(done(await run(world)).objects, 8);
  }));

test("prune() gives up when publishers change the release all the time, and removes nothing", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishFive(world);
    const busy: Bucket = {
      ...world.bucket,
      put: (key, body, options) =>
        key === RELEASE_PATH
          ? Promise.resolve(ok("lost" as const))
          : world.bucket.put(key, body, options),
    };
    const failed = await run(world, {}, { bucket: busy });
    assert.ok(!failed.ok && failed.error.code === "release-race", JSON.stringify(failed));
    assert.ok(existsSync(join(folder, "bucket/bundles/shell/v1/bundle.zip")));
  }));
