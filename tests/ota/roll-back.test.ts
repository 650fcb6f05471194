import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bundleZipPath, contentPath, manifestPath } from "../../lib/ota-format/layout.ts";
import { DEFAULT_TARGET } from "../../lib/ota-format/release.ts";
import { readHistory } from "../../lib/ota-publish/history.ts";
import { rollBack, type RollBackRequest } from "../../lib/ota-publish/roll-back.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { openSeenSequence } from "../../lib/ota-publish/seen.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";
import { refOf } from "../support/release-world.ts";
import { createTestClock } from "../support/store-world.ts";
import { onEveryStore, type StoreWorld } from "./every-store.ts";

const request = (world: Pick<OtaWorld, "key">, over: Partial<RollBackRequest>) => ({
  to: "v1",
  target: DEFAULT_TARGET,
  key: world.key,
  minSequence: 0,
  ...over,
});

function run(
  world: Pick<StoreWorld, "bucket" | "key">,
  over: Partial<RollBackRequest>,
  bucket: Bucket = world.bucket,
) {
  return rollBack({ bucket, clock: createTestClock() }, request(world, over));
}

async function history(world: Pick<StoreWorld, "bucket" | "key">, limit = 20) {
  const read = await readHistory({ ...world, target: DEFAULT_TARGET }, { limit });
  assert.ok(read.ok, JSON.stringify(read));
  return read.value;
}

async function publishThree(world: Pick<StoreWorld, "publish">): Promise<void> {
  for (const version of ["v1", "v2", "v3"]) {
    assert.ok(
      (await world.publish(version, {
        "index.html": version,
        "same": "same",
        "coded.js": "play();\n".repeat(4_000), // stored coded where the store has headers
      })).ok,
    );
  }
}

// PUB-24
onEveryStore(
  "rollBack() names a version again in a release with a higher sequence, and sends nothing",
  async (world) => {
    await publishThree(world);
    assert.ok((await world.publish("v1", { level: "1" }, { name: "game" })).ok);
    const planned = await run(world, { name: "shell", dryRun: true });
    assert.equal((await history(world)).entries.length, 4, "a dry run writes nothing");
    const done = await run(world, { name: "shell" });
    assert.deepEqual(done, {
      ok: true,
      value: {
        name: "shell",
        version: "v1",
        from: "v3",
        sequence: 5,
        changed: true,
        mandatory: false,
        minEngineApi: 1,
        was: { sequence: 1, mandatory: false, minEngineApi: 1 },
      },
    });
    assert.deepEqual(planned, done, "what was planned is what was done");
    const { entries, older } = await history(world, 2);
    assert.deepEqual(
      entries.map(({ sequence, state, release }) => [
        sequence,
        state,
        release.ok && release.value.bundles,
      ]),
      [
        [5, "current", { shell: "v1", game: "v1" }],
        [4, "past", { shell: "v3", game: "v1" }],
      ],
    );
    assert.equal(older, 3);
    assert.equal(entries.every(({ writtenAt = 0 }) => writtenAt > 0), true);
    const again = await run(world, { name: "shell" });
    assert.deepEqual(again.ok && [again.value.changed, again.value.sequence], [false, 5]);
  },
);

// PUB-24
test("rollBack() reaches a phone that has the later version, and one that comes back from it", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishThree(world);
    const device = world.device();
    assert.deepEqual((await world.check(device)).result, "staged");
    assert.ok((await run(world, { to: "v2" })).ok);
    const back = await world.check(device);
    assert.deepEqual([back.result, "version" in back && back.version], ["staged", "v2"]);
    assert.ok((await run(world, { to: "v3" })).ok);
    const on = await world.check(device);
    assert.deepEqual([on.result, "version" in on && on.version], ["staged", "v3"]);
  }));

// PUB-24
test("rollBack() refuses what players cannot get, before it writes, and names what they can", () =>
  withFolder(async (folder) => {
    const damages: Record<string, [(path: (name: string) => string) => void, string, RegExp]> = {
      "never released": [
        () => undefined,
        "not-released",
        /no signed release in the bucket names it/,
      ],
      "pruned": [
        (path) => writeTree(path("bundles/shell/v1"), { "pruned.json": "{}" }),
        "pruned",
        /its files were pruned/,
      ],
      "no manifest": [
        (path) => rmSync(path(manifestPath("shell", "v1"))),
        "incomplete",
        /lacks its bundles\/shell\/v1\/manifest\.json/,
      ],
      "another manifest": [
        (path) => writeFileSync(path(manifestPath("shell", "v1")), "{}"),
        "incomplete",
        /not the one that was released/,
      ],
      "a file is gone": [
        (path) => rmSync(path(contentPath("shell", "v1", refOf("same").hash))),
        "incomplete",
        /files\/[0-9a-f]{64} is not there/,
      ],
      "a file is cut": [
        (path) => writeFileSync(path(contentPath("shell", "v1", refOf("same").hash)), "sa"),
        "incomplete",
        /has 2 bytes, expected 4/,
      ],
      "no zip": [
        (path) => rmSync(path(bundleZipPath("shell", "v1"))),
        "incomplete",
        /bundle\.zip is not there/,
      ],
    };
    for (const [what, [damage, code, words]] of Object.entries(damages)) {
      const home = join(folder, code, what.replaceAll(" ", "-"));
      writeTree(home, { x: "" });
      const world = await openOtaWorld(home);
      await publishThree(world);
      damage((name) => join(home, "bucket", name));
      const refused = await run(world, { to: code === "not-released" ? "v9" : "v1" });
      assert.ok(!refused.ok, what);
      assert.equal(refused.error.code, code, what);
      assert.match(refused.error.message, words);
      if (code !== "incomplete") {
        assert.match(refused.error.next ?? "", /^Roll back to v3?.*v2/, what);
      }
      assert.equal((await history(world)).entries.length, 3, "nothing was written");
    }
  }));

// PUB-24
test("rollBack() needs a name where the release has several bundles, and a release", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const none = await run(world, {});
    assert.equal(none.ok ? "" : none.error.code, "not-released");
    assert.match(none.ok ? "" : none.error.message, /: found no signed release in the bucket/);
    await publishThree(world);
    assert.ok((await world.publish("v1", { level: "1" }, { name: "game" })).ok);
    const several = await run(world, {});
    assert.equal(several.ok ? "" : several.error.code, "bad-request");
    assert.match(several.ok ? "" : several.error.next ?? "", /game, shell/);
  }));

// PUB-24, PUB-4
test("rollBack() keeps mandatory and minEngineApi unless told, and says what they were", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { a: "1" });
    await world.publish("v2", { a: "2" }, { mandatory: true, minEngineApi: 2 });
    const kept = await run(world, {});
    assert.ok(kept.ok);
    const { mandatory, mandatoryFrom, minEngineApi, was } = kept.value;
    assert.deepEqual([mandatory, mandatoryFrom, minEngineApi], [true, 2, 2]);
    assert.deepEqual(was, { sequence: 1, mandatory: false, minEngineApi: 1 });
    const reported = await run(world, { mandatory: false, minEngineApi: 1 });
    assert.ok(reported.ok && reported.value.changed);
    assert.deepEqual([reported.value.mandatory, reported.value.minEngineApi], [false, 1]);
    assert.equal("mandatoryFrom" in reported.value, false);
    assert.equal(reported.value.sequence, 4);
  }));

// PUB-24, PUB-5
test("rollBack() stops over an older release put back, and remembers its own", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishThree(world);
    const { bucket, key, runtime } = world;
    const memory = await openSeenSequence(runtime, join(folder, "data"), {
      bucket: bucket.identity,
      target: DEFAULT_TARGET,
    });
    await memory.raise(4);
    const refused = await rollBack({ ...runtime, bucket, memory }, request({ key }, {}));
    assert.ok(!refused.ok && refused.error.code === "rolled-back");
    await publishThree({ publish: (version, files) => world.publish(`${version}0`, files) });
    assert.ok((await rollBack({ ...runtime, bucket, memory }, request({ key }, {}))).ok);
    assert.deepEqual(await memory.read(), { ok: true, value: 7 });
  }));

// PUB-24, PUB-21
test("rollBack() killed after its claim is finished by the same call; history tells what is ahead", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishThree(world);
    const killed: Bucket = {
      ...world.bucket,
      put: (key, body, options) =>
        key === "release.json"
          ? Promise.resolve({ ok: false, error: { code: "unreachable", message: "Gone" } })
          : world.bucket.put(key, body, options),
    };
    assert.ok(!(await run(world, {}, killed)).ok);
    const states = (await history(world)).entries.map(({ sequence, state }) => [sequence, state]);
    assert.deepEqual(states.slice(0, 2), [[4, "ahead"], [3, "current"]]);
    const planned = await run(world, { dryRun: true });
    const other = await run(world, { to: "v2", dryRun: true });
    assert.deepEqual(other.ok && other.value.sequence, 5);
    const resumed = await run(world, {});
    assert.deepEqual(resumed.ok && [resumed.value.from, resumed.value.sequence], ["v3", 4]);
    assert.deepEqual(planned, resumed, "what was planned is what was done");
    rmSync(join(folder, "bucket/release.json"));
    const lost = await run(world, { to: "v2" });
    assert.deepEqual(lost.ok && [lost.value.from, lost.value.sequence], [null, 5]);
  }));

// PUB-21
test("readHistory() tells what cannot be trusted, and goes on", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await publishThree(world);
    writeFileSync(join(folder, "bucket/releases/2.json"), "{}");
    const { entries } = await history(world);
    assert.deepEqual(entries.map(({ release }) => release.ok), [true, false, true]);
    const other = await openOtaWorld(join(folder, "other"));
    const foreign = await readHistory({ ...world, key: other.key, target: DEFAULT_TARGET }, {
      limit: 1,
    });
    assert.ok(!foreign.ok && foreign.error.code === "invalid-release");
  }));
