import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { JsonObject } from "../../lib/core/json.ts";
import { canonicalJson } from "../../lib/ota-format/canonical-json.ts";
import {
  DEFAULT_TARGET,
  isSigned,
  readRecord,
  type Release,
  SCHEMA,
  serializeRelease,
} from "../../lib/ota-format/release.ts";
import { generateKeyPair, signRecord } from "../../lib/ota-format/signing.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";

// What a publisher does not know it would drop, and sign that (PUB-20).

function releaseFile(world: OtaWorld): string {
  return join(world.folder, "bucket/release.json");
}

function readRelease(world: OtaWorld): JsonObject {
  const record = readRecord(readFileSync(releaseFile(world)));
  assert.ok(record.ok);
  return record.value;
}

/** Signs the release anew with what a newer publisher may have written into it. */
async function rewrite(world: OtaWorld, change: (record: JsonObject) => JsonObject) {
  const { sig: _sig, ...record } = change(readRelease(world));
  const sig = await signRecord(record, world.key.privateKey);
  writeFileSync(releaseFile(world), canonicalJson({ ...record, sig }));
}

const V1 = { "index.html": "one" };
const V2 = { "index.html": "two" };

const REFUSED: readonly [string, string, (record: JsonObject) => JsonObject][] = [
  ["a member", "rollout", (record) => ({ ...record, rollout: { percent: 5 } })],
  [
    "a member of a manifest's entry",
    "manifests.shell.brotli",
    ({ manifests, ...record }) => {
      assert.ok(typeof manifests === "object" && manifests !== null && "shell" in manifests);
      return { ...record, manifests: { shell: { ...Object(manifests["shell"]), brotli: 1 } } };
    },
  ],
  ["a critical member", "critical", (record) => ({ ...record, critical: ["rollout"] })],
];

for (const [what, member, change] of REFUSED) {
  test(`publish() refuses a release with ${what} that it does not know, and leaves it (PUB-20)`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      await world.publish("v1", V1);
      await rewrite(world, change);
      const before = readFileSync(releaseFile(world), "utf8");
      const second = await world.publish("v2", V2);
      assert.ok(!second.ok);
      assert.equal(second.error.code, "invalid-release");
      assert.match(second.error.message, /newer publisher/);
      assert.ok(second.error.message.includes(JSON.stringify(member)), second.error.message);
      assert.equal(readFileSync(releaseFile(world), "utf8"), before);
    }));
}

test("publish() carries x-… and critical members over, under the new signature (PUB-20)", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    const extra = { "x-note": { by: ["ci", 1] }, critical: ["sequence"] };
    await rewrite(world, (record) => ({ ...record, ...extra }));
    const second = await world.publish("v2", V2);
    assert.ok(second.ok, JSON.stringify(second));
    const record = readRelease(world);
    assert.deepEqual([record["x-note"], record["critical"]], [extra["x-note"], extra.critical]);
    assert.deepEqual([record["sequence"], record["bundles"]], [2, { shell: "v2" }]);
    assert.ok(await isSigned(record, world.key.publicKey));
    assert.equal((await world.check(world.device())).result, "staged");
  }));

test("serializeRelease() carries critical over only for members that are there", async () => {
  const { privateKey } = await generateKeyPair();
  const release: Release = {
    schema: SCHEMA,
    ...DEFAULT_TARGET,
    sequence: 1,
    bundles: {},
    manifests: {},
    mandatory: false,
    minEngineApi: 1,
  };
  const back = { ...release, backTo: { shell: "v1" } };
  const cases: readonly [Release, JsonObject, unknown][] = [
    [back, { critical: ["backTo"] }, ["backTo"]],
    [release, { critical: ["backTo"] }, undefined],
    [release, { critical: ["backTo", "mandatory"] }, ["mandatory"]],
    [release, { critical: ["critical", "backTo"] }, undefined],
    [release, { critical: ["critical", "sig"] }, ["critical", "sig"]],
    [release, { critical: ["x-a", "x-b"], "x-a": 1 }, ["x-a"]],
    [release, {}, undefined],
  ];
  for (const [next, carried, expected] of cases) {
    const record = JSON.parse(await serializeRelease(next, privateKey, carried));
    assert.deepEqual(record.critical, expected, JSON.stringify(carried));
  }
});

test("a critical backTo goes with the member, and old clients are not shut out for good", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    await world.publish("v2", V2);
    assert.ok((await world.publish("v1", V1, { allowOlder: true })).ok);
    await rewrite(world, (record) => ({ ...record, critical: ["backTo"] }));
    assert.ok((await world.publish("v3", { "index.html": "three" })).ok);
    const { critical, backTo } = readRelease(world);
    assert.deepEqual([critical, backTo], [undefined, undefined]);
  }));
