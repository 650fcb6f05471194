import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkForUpdate } from "../../lib/ota-client/mod.ts";
import type { JsonObject } from "../../lib/core/json.ts";
import { EMBEDDED, serializeManifest } from "../../lib/ota-format/manifest.ts";
import { DEFAULT_TARGET, serializeRelease } from "../../lib/ota-format/release.ts";
import { embedManifest } from "../../lib/ota-publish/embed.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";
import { launch, makeActive, update } from "../support/phone-life.ts";
import {
  createFakeNative,
  createWorld,
  type FakeNativeOptions,
  manifestOf,
} from "../support/release-world.ts";

// CHECK-14: a store binary is never taken back to an older version unasked.

const V11 = { "index.html": "eleven" };
const V12 = { "index.html": "twelve" };

/** A folder as an app binary holds it. */
async function binary(
  { runtime, folder }: OtaWorld,
  files: Record<string, string>,
  of: { readonly version?: string; readonly releasedVersion?: string },
): Promise<string> {
  const embedded = join(folder, `binary-${of.version ?? EMBEDDED}`);
  writeTree(embedded, files);
  const built = await embedManifest(runtime, {
    dist: embedded,
    name: "shell",
    engineApi: 1,
    target: DEFAULT_TARGET,
    sequence: 0,
    ...of,
  });
  assert.ok(built.ok);
  assert.equal(built.value.manifest.released, of.releasedVersion);
  return embedded;
}

/** Releases what stands in the bucket, said to go back. */
async function sayBackTo({ folder, key }: OtaWorld, version: string): Promise<string> {
  const path = join(folder, "bucket", "release.json");
  const { sig: _sig, ...record } = JSON.parse(readFileSync(path, "utf8"));
  const release = { ...record, sequence: record.sequence + 1, backTo: { shell: version } };
  const text = await serializeRelease(release, key.privateKey);
  writeTree(join(folder, "bucket"), { "release.json": text });
  return text;
}

for (
  const [what, of] of [
    ["with a number", { version: "v12" }],
    ["without one, built when v11 was released", { releasedVersion: "v11" }],
  ] as const
) {
  test(`a new binary ${what} is not taken back to v11, and goes back when that is said`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      await world.publish("v10", { "index.html": "ten" });
      const before = world.device();
      await makeActive(world, before);
      await world.publish("v11", V11);
      assert.equal(await launch(before, "1"), "v10");
      const phone = world.device({ embedded: await binary(world, V12, of) });
      assert.equal(await launch(phone, "2"), EMBEDDED);
      const running = "version" in of ? of.version : EMBEDDED;
      world.requests.length = 0;
      for (let checks = 0; checks < 2; checks++) {
        assert.deepEqual(await world.check(phone), {
          result: "up-to-date",
          version: running,
          code: "older-than-binary",
          detail: "older-than-binary: v11 is older than what this app came with",
        });
        assert.equal(await launch(phone, "2"), EMBEDDED);
      }
      assert.deepEqual(world.requests, ["release.json", "release.json"]);

      await sayBackTo(world, "v11");
      await update(world, phone);
      assert.equal(await launch(phone, "2"), "v11");
    }));
}

test("what is newer than the binary is staged, and left for an older one that still is", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const embedded = await binary(world, V11, { version: "v11" });
    const phone = world.device({ embedded });
    await world.publish("v13", { "index.html": "thirteen" });
    await makeActive(world, phone);
    const { key } = world;
    const path = join(folder, "bucket", "release.json");
    const { sig: _sig, ...record } = JSON.parse(readFileSync(path, "utf8"));
    await world.publish("v14", { "index.html": "fourteen" });
    await makeActive(world, phone);
    const back = await serializeRelease({ ...record, sequence: 9 }, key.privateKey);
    writeTree(join(folder, "bucket"), { "release.json": back });
    await update(world, phone); // v13, above the binary's v11
    assert.equal(await launch(phone), "v13");
  }));

test("a device with a public key refuses what is older than its binary, unless that is said", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v11", V11);
    const embedded = await binary(world, V12, { version: "v12" });
    const trusted = { publicKey: world.key.publicKey };
    const older = await binary(world, V12, { version: "v10" });
    const text = (path: string) => readFileSync(join(folder, "bucket", path), "utf8");
    const manifest = text("bundles/shell/v11/manifest.json");
    const request = { name: "shell", version: "v11", manifest };
    const zipUrl = "https://cdn.example/bundles/shell/v11/bundle.zip";
    const release = text("release.json");
    // Staged by the binary before: activating it is refused, too.
    const before = world.device({ embedded: older, trusted });
    assert.deepEqual(await before.stageUpdate({ ...request, zipUrl, release }), { ok: true });
    const device = world.device({ embedded, trusted });
    const download = [{ path: "index.html", url: zipUrl }];
    const delta = { ...request, base: EMBEDDED, copy: [], download };
    for (
      const refused of [
        await device.stageUpdate({ ...request, zipUrl, release }),
        await device.stageUpdateDelta({ ...delta, release }),
        await device.activate({ name: "shell", version: "v11", release }),
      ]
    ) {
      assert.ok(!refused.ok);
      assert.equal(refused.code, "untrusted");
      assert.match(refused.detail, /v11 is older than what this app came with/);
    }
    const said = await sayBackTo(world, "v11");
    const activated = await device.activate({ name: "shell", version: "v11", release: said });
    assert.deepEqual(activated, { ok: true });
    assert.equal(await launch(device), "v11");
  }));

// A plugin may be older than the client, and tell less of its binary than that knows to ask.
const number: FakeNativeOptions = { embedded: { shell: "v12" } };
const untold: FakeNativeOptions = { manifests: { [EMBEDDED]: embeddedText({ version: "v12" }) } };
const released: FakeNativeOptions = {
  manifests: { [EMBEDDED]: embeddedText({ version: EMBEDDED, released: "v2" }) },
};
const cases: readonly [string, FakeNativeOptions, JsonObject, string, string][] = [
  ["told", number, {}, "up-to-date", "v12"],
  [
    "told, and something is active",
    { ...number, state: { active: { shell: "v14" } } },
    {},
    "up-to-date",
    "v14",
  ],
  ["read from the manifest", untold, {}, "up-to-date", "v12"],
  [
    "read, and something is active",
    { ...untold, state: { active: { shell: "v14" } } },
    {},
    "up-to-date",
    "v14",
  ],
  ["read, without a number", released, {}, "up-to-date", EMBEDDED],
  ["told, and the release says so", number, { backTo: { shell: "v2" } }, "staged", "v2"],
  ["told, and the release says another", number, { backTo: { shell: "v3" } }, "up-to-date", "v12"],
  [
    "told, and quarantined",
    { ...number, rejected: { shell: ["v2"] } },
    {},
    "version-rejected",
    "v2",
  ],
  ["told, for another engine", number, { minEngineApi: 4 }, "engine-api-too-old", "v2"],
  ["no number", { embedded: { shell: EMBEDDED } }, {}, "staged", "v2"],
  ["not there", {}, {}, "staged", "v2"],
];
for (const [what, options, release, result, version] of cases) {
  test(`checkForUpdate() of v2 where the binary's version is ${what}: ${result}`, async () => {
    const world = await createWorld();
    await world.release(release);
    const native = createFakeNative({ sequence: 7, ...options });
    let reported = 0;
    const check = await checkForUpdate({ fetch: world.fetch, native }, world.connection, () => {
      reported++;
    });
    assert.deepEqual([check.result, check.version], [result, version], JSON.stringify(check));
    const isOlder = result === "up-to-date";
    assert.equal("code" in check && check.code === "older-than-binary", isOlder);
    assert.equal(reported, result === "staged" ? 1 : 0);
    if (isOlder) assert.deepEqual(native.calls, []);
    assert.equal(world.requests.length > 1, result === "staged");
  });
}

test("what is pending stays when the release is older than the binary", async () => {
  const world = await createWorld();
  const state = { active: { shell: "v13" }, pending: { shell: "v14" } };
  const native = createFakeNative({ sequence: 7, state, embedded: { shell: "v12" } });
  const check = await checkForUpdate({ fetch: world.fetch, native }, world.connection);
  assert.deepEqual([check.result, check.version], ["up-to-date", "v13"]);
  assert.deepEqual(native.calls, []);
});

function embeddedText(of: { readonly version: string; readonly released?: string }): string {
  const { version } = of;
  const manifest = manifestOf(version, { "index.html": "twelve" });
  return serializeManifest({
    ...manifest,
    app: "default",
    channel: "production",
    sequence: 1,
    ...of,
  });
}
