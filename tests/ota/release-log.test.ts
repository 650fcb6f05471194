import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ok } from "../../lib/core/result.ts";
import { createFileBucket } from "../../lib/ota-publish/file/bucket.ts";
import { freeVersion } from "../../lib/ota-publish/plan.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";

const pathOf = ({ folder }: OtaWorld, name: string) => join(folder, "bucket", name);
const textOf = (world: OtaWorld, name: string) => readFileSync(pathOf(world, name), "utf8");
const released = (world: OtaWorld) => JSON.parse(textOf(world, "release.json"));
const kept = (world: OtaWorld) => readdirSync(pathOf(world, "releases")).sort();

/** A bucket whose publisher is stopped between its claim and the release. */
function stopsAfterClaim({ bucket }: OtaWorld): Bucket {
  return {
    ...bucket,
    put: (key, body, options) =>
      key === "release.json"
        ? Promise.resolve({ ok: false, error: { code: "unreachable", message: "Gone" } })
        : bucket.put(key, body, options),
  };
}

// PUB-21
test("publish() keeps every signed release under its sequence, the bytes that players get", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    for (const version of ["v1", "v2"]) {
      assert.ok((await world.publish(version, { a: version })).ok);
    }
    assert.deepEqual(kept(world), ["1.json", "2.json"]);
    assert.equal(textOf(world, "releases/2.json"), textOf(world, "release.json"));
    assert.equal(JSON.parse(textOf(world, "releases/1.json")).bundles.shell, "v1");
  }));

// PUB-21
test("publish() by a machine without a memory, over an older release put back, reaches every phone", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { a: "1" });
    const first = textOf(world, "release.json");
    await world.publish("v2", { a: "2" });
    await world.publish("v1", { level: "1" }, { name: "game" });
    const device = world.device();
    assert.equal((await world.check(device)).result, "staged");
    writeFileSync(pathOf(world, "release.json"), first);
    assert.equal((await world.check(device)).result, "signature-invalid", "phones have seen 3");
    const warned: string[] = [];
    const onWarning = ({ message }: { message: string }) => void warned.push(message);
    assert.ok((await world.publish("v3", { a: "3" }, { onWarning })).ok);
    assert.deepEqual(warned, [
      "release.json has sequence 1, and sequence 3 was signed: game v1, shell v2",
    ]);
    const { sequence, bundles } = released(world);
    assert.deepEqual([sequence, bundles], [4, { shell: "v3", game: "v1" }], "nothing is lost");
    assert.equal((await world.check(device)).result, "staged");
  }));

// PUB-21
test("publish() over a lost release goes on above what was signed", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { a: "1" });
    await world.publish("v1", { level: "1" }, { name: "game" });
    rmSync(pathOf(world, "release.json"));
    assert.ok((await world.publish("v2", { a: "2" })).ok);
    assert.deepEqual(released(world).bundles, { shell: "v2", game: "v1" });
    assert.equal(released(world).sequence, 3);
  }));

// PUB-21
test("publish() that was stopped after its claim is finished by the same call, with no sequence more", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { a: "1" });
    const stopped = await world.publish("v2", { a: "2" }, { bucket: stopsAfterClaim(world) });
    assert.ok(!stopped.ok);
    assert.deepEqual([kept(world).length, released(world).sequence], [2, 1]);
    assert.ok((await world.publish("v2", { a: "2" })).ok);
    assert.deepEqual([kept(world).length, released(world).sequence], [2, 2]);
  }));

// PUB-21
test("publish() builds on a claim that was never released, and not on one whose version was pruned", () =>
  withFolder(async (folder) => {
    for (const isPruned of [false, true]) {
      const home = join(folder, String(isPruned));
      writeTree(home, { "x": "" });
      const world = await openOtaWorld(home);
      await world.publish("v1", { a: "1" });
      await world.publish("v2", { a: "2" }, { bucket: stopsAfterClaim(world) });
      if (isPruned) writeTree(pathOf(world, "bundles/shell/v2"), { "pruned.json": "{}" });
      assert.ok((await world.publish("v1", { level: "1" }, { name: "game" })).ok);
      const { sequence, bundles } = released(world);
      assert.equal(sequence, 3);
      assert.deepEqual(bundles, { shell: isPruned ? "v1" : "v2", game: "v1" });
    }
  }));

// PUB-21
test("publish() whose claim another released too is done, and changes nothing", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { a: "1" });
    let rival: Awaited<ReturnType<OtaWorld["publish"]>> | undefined;
    const slow: Bucket = {
      ...world.bucket,
      async put(key, body, options) {
        if (key === "release.json") {
          rival ??= await world.publish("v1", { level: "1" }, { name: "game" });
        }
        return await world.bucket.put(key, body, options);
      },
    };
    const mine = await world.publish("v2", { a: "2" }, { bucket: slow });
    assert.ok(mine.ok && rival?.ok);
    assert.equal(released(world).sequence, 3);
    assert.deepEqual(released(world).bundles, { shell: "v2", game: "v1" });
    assert.deepEqual(kept(world), ["1.json", "2.json", "3.json"]);
  }));

// PUB-21: two publishers, one suspended
test("publish() on disk that was suspended in its last step does not leave an older release", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { a: "1" });
    const { files } = world.runtime;
    let rival: Awaited<ReturnType<OtaWorld["publish"]>> | undefined;
    const suspended = createFileBucket({
      ...world.runtime,
      folder: join(folder, "bucket"),
      files: {
        ...files,
        async rename(from, to) {
          if (to.endsWith("/release.json") && rival === undefined) {
            // So long that another takes it for dead, breaks its lock, publishes and ends.
            rmSync(pathOf(world, ".slipway-lock"));
            rival = await world.publish("v3", { a: "3" });
          }
          await files.rename(from, to);
        },
      },
    });
    const mine = await world.publish("v2", { a: "2" }, { bucket: suspended });
    assert.ok(rival?.ok, JSON.stringify(rival));
    assert.ok(mine.ok, JSON.stringify(mine));
    assert.deepEqual([released(world).sequence, released(world).bundles.shell], [3, "v3"]);
  }));

// PUB-21
test("publish() stops over a signed release that is not this key's, and over a wrong sequence", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { a: "1" });
    for (const text of ["{}", textOf(world, "release.json")]) {
      writeFileSync(pathOf(world, "releases/7.json"), text);
      const refused = await world.publish("v2", { a: "2" });
      assert.ok(!refused.ok && refused.error.code === "invalid-release");
      assert.match(refused.error.message, /releases\/7\.json/);
    }
    rmSync(pathOf(world, "releases/7.json"));
    assert.ok((await world.publish("v2", { a: "2" })).ok);
  }));

// PUB-21
test("publish() finds what a listing does not show yet, and keeps what an older publisher did not", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { a: "1" });
    await world.publish("v2", { a: "2" }, { bucket: stopsAfterClaim(world) });
    const lagging: Bucket = {
      ...world.bucket,
      list: (prefix) => prefix === "releases" ? Promise.resolve(ok([])) : world.bucket.list(prefix),
    };
    assert.ok((await world.publish("v1", { level: "1" }, { name: "game", bucket: lagging })).ok);
    assert.deepEqual(released(world).bundles, { shell: "v2", game: "v1" });
    assert.equal(released(world).sequence, 3);
    rmSync(pathOf(world, "releases"), { recursive: true });
    assert.ok((await world.publish("v3", { a: "3" })).ok);
    assert.deepEqual(kept(world), ["3.json", "4.json"]);
  }));

// PUB-21. Phones refuse a leap, and a sequence of 2^53-1 leaves none for the next release.
for (
  const [what, high, over] of [
    ["a name in releases/ that leads nowhere", Number.MAX_SAFE_INTEGER - 1, {}],
    ["a memory of 2^53-1", null, { first: true, minSequence: Number.MAX_SAFE_INTEGER }],
    ["a memory of a leap", null, { first: true, minSequence: 2_000_000 }],
  ] as const
) {
  test(`publish() after ${what} signs nothing, and says what to remove`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      await world.publish("v1", { a: "1" });
      if (high !== null) symlinkSync("/nowhere", pathOf(world, `releases/${high}.json`));
      const before = kept(world);
      const refused = await world.publish("v2", { a: "2" }, over);
      assert.ok(!refused.ok && refused.error.code === "sequence-jump", JSON.stringify(refused));
      assert.match(refused.error.next ?? "", /^Find what says [0-9]+ and remove it/);
      assert.deepEqual([kept(world), released(world).sequence], [before, 1]);
    }));
}

// PUB-21
test("publish() tells of a record in releases/ that nobody signed how to go on", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { a: "1" });
    writeTree(pathOf(world, "releases"), { "9.json": "{}" });
    const refused = await world.publish("v2", { a: "2" });
    assert.ok(!refused.ok && refused.error.code === "invalid-release");
    assert.match(refused.error.message, /releases\/9\.json .*not signed/);
    assert.match(refused.error.next ?? "", /remove it if no owner of that key wrote it$/);
    rmSync(pathOf(world, "releases/9.json"));
    assert.ok((await world.publish("v2", { a: "2" })).ok);
  }));

// PUB-2. A name of 200 characters has none after it.
test("freeVersion() passes over a version that has none after it", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { a: "1" });
    writeTree(pathOf(world, `bundles/shell/v${"9".repeat(199)}`), { x: "" });
    assert.deepEqual(await freeVersion(world.bucket, { name: "shell" }), ok("v2"));
  }));
