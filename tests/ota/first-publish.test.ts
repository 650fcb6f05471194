import assert from "node:assert/strict";
import { test } from "node:test";
import {
  checkSequence,
  DEFAULT_TARGET,
  parseRelease,
  readRecord,
} from "../../lib/ota-format/release.ts";
import { dryRun } from "../../lib/ota-publish/dry-run.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";
import { onEveryStore } from "./every-store.ts";

type Outcome = Awaited<ReturnType<OtaWorld["publish"]>>;

const codeOf = (outcome: Outcome) => outcome.ok ? "published" : outcome.error.code;

async function releaseIn(bucket: Bucket) {
  const object = await bucket.read("release.json", 1 << 18);
  assert.ok(object.ok && object.value !== null);
  const record = readRecord(object.value.bytes);
  const release = record.ok ? parseRelease(record.value, DEFAULT_TARGET) : record;
  assert.ok(release.ok);
  return release.value;
}

async function removeReleases(bucket: Bucket): Promise<void> {
  const kept = await bucket.list("releases");
  assert.ok(kept.ok);
  for (const path of ["release.json", ...kept.value.map((name) => `releases/${name}`)]) {
    assert.ok((await bucket.remove(path)).ok);
  }
}

/** The bucket of a publisher that is killed before what it puts at a path. */
function killedBefore(bucket: Bucket, path: string): Bucket {
  return {
    ...bucket,
    put: (key, body, options) =>
      key === path
        ? Promise.resolve({ ok: false, error: { code: "unreachable", message: "Gone" } })
        : bucket.put(key, body, options),
  };
}

// PUB-23
onEveryStore(
  "publish() with first alone goes above all that phones can have seen, and says so",
  async ({ bucket, publish }) => {
    for (let version = 1; version <= 12; version++) {
      assert.ok((await publish(`v${version}`, { a: `${version}` })).ok);
    }
    assert.ok((await publish("v30", { a: "other" }, { name: "game" })).ok);
    await removeReleases(bucket);
    const warned: string[] = [];
    const again = await publish("v13", { a: "13" }, {
      first: true,
      onWarning: ({ code, message }) => void warned.push(`${code}: ${message}`),
    });
    assert.ok(again.ok, JSON.stringify(again));
    assert.equal(again.value.release.sequence, 1301, "ten for each of v30, and a thousand");
    assert.match(warned.join("\n"), /first-sequence: .*the release gets 1301/);
    assert.equal(checkSequence(1301, 13).ok, true, "a phone of before takes it");
    const next = await publish("v14", { a: "14" });
    assert.deepEqual(next.ok && next.value.release.sequence, 1302);
  },
);

// PUB-23
onEveryStore(
  "publish() with first alone, over numbers too high to count by, makes no leap that phones refuse",
  async ({ bucket, publish }) => {
    assert.ok((await publish("v9007199254740993", { a: "1" })).ok);
    await removeReleases(bucket);
    const again = await publish("v9007199254740994", { a: "2" }, { first: true });
    assert.ok(again.ok, JSON.stringify(again));
    assert.equal(checkSequence(again.value.release.sequence, 0).ok, true);
    const known = await publish("v9007199254740995", { a: "3" });
    assert.ok(known.ok, "and the next publisher goes on");
  },
);

// PUB-23
onEveryStore(
  "publish() refuses a bucket that lost its releases, and goes above them where told",
  async ({ bucket, publish }) => {
    for (const version of ["v1", "v2"]) assert.ok((await publish(version, { a: version })).ok);
    await removeReleases(bucket);
    const refused = await publish("v3", { a: "3" });
    assert.equal(codeOf(refused), "no-release");
    assert.match(refused.ok ? "" : refused.error.message, /bundles\/shell\/v1\/manifest\.json/);
    assert.match(refused.ok ? "" : refused.error.next ?? "", /--first, with --min-sequence N/);
    const kept = await bucket.list("bundles/shell");
    assert.deepEqual(kept.ok && [...kept.value].sort(), ["v1", "v2"], "nothing was written");
    const again = await publish("v3", { a: "3" }, { first: true, minSequence: 2 });
    assert.equal(codeOf(again), "published", JSON.stringify(again));
    const { sequence, bundles } = await releaseIn(bucket);
    assert.deepEqual([sequence, bundles], [3, { shell: "v3" }]);
    assert.equal(codeOf(await publish("v4", { a: "4" })), "published");
  },
);

// PUB-21
onEveryStore(
  "publish() by a machine without a memory begins above what the bucket has signed",
  async ({ bucket, publish }) => {
    for (const version of ["v1", "v2", "v3"]) assert.ok((await publish(version, { a: "1" })).ok);
    assert.ok((await bucket.remove("release.json")).ok);
    assert.equal(codeOf(await publish("v4", { a: "4" })), "published");
    assert.equal((await releaseIn(bucket)).sequence, 4);
  },
);

// PUB-23
onEveryStore(
  "publish() by four at once into a new bucket is refused to none",
  async ({ bucket, publish }) => {
    const names = ["one", "two", "three", "four"];
    const outcomes = await Promise.all(names.map((name) => publish("v1", { a: name }, { name })));
    assert.deepEqual(outcomes.map(codeOf), names.map(() => "published"));
    const { sequence, bundles } = await releaseIn(bucket);
    assert.deepEqual([sequence, Object.keys(bundles).sort()], [4, [...names].sort()]);
    const kept = await bucket.list("releases");
    assert.deepEqual(
      kept.ok && [...kept.value].sort(),
      ["1", "2", "3", "4"].map((n) => `${n}.json`),
    );
  },
);

// PUB-23
for (const path of ["bundles/shell/v1/manifest.json", "bundles/shell/v1/bundle.zip"]) {
  onEveryStore(
    `publish() killed before ${path} of the first publish resumes, and stops nobody else`,
    async ({ bucket, publish }) => {
      const killed = { bucket: killedBefore(bucket, path) };
      assert.equal(codeOf(await publish("v1", { a: "1" }, killed)), "bucket");
      assert.equal(codeOf(await publish("v1", { b: "1" }, { name: "other" })), "published");
      assert.equal(codeOf(await publish("v1", { a: "1" })), "published");
      assert.deepEqual((await releaseIn(bucket)).bundles, { shell: "v1", other: "v1" });
    },
  );
}

// PUB-23
onEveryStore(
  "publish() with first ends the mark of a first publish that was killed: no later loss is hidden",
  async ({ bucket, publish }) => {
    const first = { first: true };
    const killed = { ...first, bucket: killedBefore(bucket, "releases/1.json") };
    assert.equal(codeOf(await publish("v1", { a: "1" }, killed)), "bucket");
    assert.equal(codeOf(await publish("v1", { a: "1" }, first)), "published");
    const kept = await bucket.list("releases");
    assert.deepEqual(kept.ok && kept.value.includes("0.json"), false, "the mark");
    await removeReleases(bucket);
    assert.equal(codeOf(await publish("v2", { a: "2" })), "no-release");
  },
);

// PUB-23
test("publish() that looks while the first release comes out is not refused", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    let rival: Outcome | undefined;
    const slow: Bucket = {
      ...world.bucket,
      async list(prefix) {
        if (prefix === "bundles") rival ??= await world.publish("v1", { a: "1" });
        return await world.bucket.list(prefix);
      },
    };
    const mine = await world.publish("v1", { b: "1" }, { name: "other", bucket: slow });
    assert.deepEqual([rival?.ok, codeOf(mine)], [true, "published"]);
    assert.deepEqual((await releaseIn(world.bucket)).bundles, { shell: "v1", other: "v1" });
  }));

// PUB-23
test("publish() with first that was killed before its release needs it again: none begins at 1", () =>
  withFolder(async (folder) => {
    const { publish, bucket } = await openOtaWorld(folder);
    assert.ok((await publish("v1", { a: "1" })).ok);
    await removeReleases(bucket);
    const first = { first: true, minSequence: 7 };
    const killed = killedBefore(bucket, "releases/8.json");
    assert.equal(codeOf(await publish("v2", { a: "2" }, { ...first, bucket: killed })), "bucket");
    for (const version of ["v2", "v3"]) {
      assert.equal(codeOf(await publish(version, { a: "2" })), "no-release");
    }
    assert.equal(codeOf(await publish("v2", { a: "2" }, first)), "published");
    assert.equal((await releaseIn(bucket)).sequence, 8);
  }));

// PUB-23
test("publish() with first goes above what a machine remembers, over an older release put back", () =>
  withFolder(async (folder) => {
    const { publish, bucket } = await openOtaWorld(folder);
    assert.ok((await publish("v1", { a: "1" })).ok);
    const over = { minSequence: 5 };
    const refused = await publish("v2", { a: "2" }, over);
    assert.equal(codeOf(refused), "rolled-back");
    assert.match(refused.ok ? "" : refused.error.next ?? "", /--first: .* above sequence 5/);
    assert.equal(codeOf(await publish("v2", { a: "2" }, { ...over, first: true })), "published");
    assert.equal((await releaseIn(bucket)).sequence, 6);
  }));

// PUB-23, PUB-37
test("publish() with first of the very version of an older release, signed or put back, goes above", () =>
  withFolder(async (folder) => {
    const { publish, bucket } = await openOtaWorld(folder);
    const first = { first: true, minSequence: 5 };
    assert.ok((await publish("v1", { a: "1" })).ok);
    assert.equal(codeOf(await publish("v1", { a: "1" }, first)), "published");
    assert.equal((await releaseIn(bucket)).sequence, 6);
    assert.equal(codeOf(await publish("v1", { a: "1" }, first)), "published");
    assert.equal((await releaseIn(bucket)).sequence, 6, "phones take it: it is confirmed");
    const killed = killedBefore(bucket, "release.json");
    assert.equal(codeOf(await publish("v2", { a: "2" }, { bucket: killed })), "bucket");
    const higher = { ...first, minSequence: 8 };
    assert.equal(codeOf(await publish("v2", { a: "2" }, higher)), "published");
    assert.equal((await releaseIn(bucket)).sequence, 9, "not the 7 that was signed");
  }));

// PUB-23
test("dryRun() refuses a bucket that lost its releases, and says the sequence that first gets", () =>
  withFolder(async (folder) => {
    const { publish, bucket, runtime, key } = await openOtaWorld(folder);
    assert.ok((await publish("v1", { a: "1" })).ok);
    await removeReleases(bucket);
    const request = {
      dist: `${folder}/dist-1`,
      name: "shell",
      version: "v2",
      engineApi: 1,
      target: DEFAULT_TARGET,
      key,
      minSequence: 4,
    };
    const dependencies = { ...runtime, bucket, workFolder: folder };
    const refused = await dryRun(dependencies, { ...request, minSequence: 0 });
    assert.equal(refused.ok ? "" : refused.error.code, "no-release");
    const planned = await dryRun(dependencies, { ...request, first: true });
    assert.equal(planned.ok && planned.value.sequence, 5);
  }));
