import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Device } from "../../lib/ota-device/device.ts";
import type { StageResult } from "../../lib/ota-format/native.ts";
import { generateKeyPair } from "../../lib/ota-format/signing.ts";
import { treeOf, withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";
import { launch, makeActive, update } from "../support/phone-life.ts";

// NAT-6: the public key is in the app's binary, and what a script in the page asks for is not enough.

const V1 = { "index.html": "one" };
const V2 = { "index.html": "two" };
const LINE = { app: "default", channel: "production" };

function trusting(world: OtaWorld, over: object = {}): Device {
  return world.device({ trusted: { publicKey: world.key.publicKey, ...over } });
}

function published(folder: string, path: string): string {
  return readFileSync(join(folder, "bucket", path), "utf8");
}

function stagingOf(folder: string, version: string) {
  const manifest = published(folder, `bundles/shell/${version}/manifest.json`);
  const zipUrl = `https://cdn.example/bundles/shell/${version}/bundle.zip`;
  return { name: "shell", version, manifest, zipUrl };
}

function isUntrusted(result: StageResult): boolean {
  return !result.ok && result.code === "untrusted";
}

test("a device with a public key goes through an update, whole bundle and delta, as any other", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    await makeActive(world, trusting(world));
    await world.publish("v2", V2);
    await update(world, trusting(world));
    assert.equal(await launch(trusting(world)), "v2");
  }));

test("a device with a public key stages, activates and accepts nothing that no release says", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    const older = published(folder, "release.json");
    await makeActive(world, trusting(world));
    await world.publish("v2", V2);
    await world.publish("v3", { "index.html": "three" });
    const release = published(folder, "release.json");
    const device = trusting(world);
    await update(world, device);
    await device.revert({ name: "shell" });
    const before = treeOf(join(folder, "phone"));
    const foreign = await generateKeyPair();
    const stagings = [
      stagingOf(folder, "v3"),
      { ...stagingOf(folder, "v3"), release: older },
      { ...stagingOf(folder, "v2"), release },
      { ...stagingOf(folder, "v3"), release: release.replace("v3", "v4") },
      {
        ...stagingOf(folder, "v3"),
        release,
        manifest: stagingOf(folder, "v3").manifest.replace(/"size":\d+/, '"size":1'),
      },
    ];
    for (const request of stagings) {
      assert.ok(isUntrusted(await device.stageUpdate(request)), JSON.stringify(request));
      const { zipUrl, ...rest } = request;
      const download = [{ path: "index.html", url: zipUrl }];
      const delta = { ...rest, base: "v1", copy: [], download };
      assert.ok(isUntrusted(await device.stageUpdateDelta(delta)));
    }
    for (const version of ["v1", "v3"]) {
      assert.ok(isUntrusted(await device.activate({ name: "shell", version })));
    }
    assert.ok(isUntrusted(await device.activate({ name: "shell", version: "v1", release })));
    for (const request of [{ ...LINE, sequence: 9 }, { ...LINE, sequence: 9, release }]) {
      await assert.rejects(device.acceptSequence(request), { code: "untrusted" });
    }
    const others = [
      trusting(world, { publicKey: foreign.publicKey }),
      trusting(world, { app: "other" }),
      trusting(world, { channel: "beta" }),
    ];
    for (const other of others) {
      const staged = await other.stageUpdate({ ...stagingOf(folder, "v3"), release });
      assert.ok(isUntrusted(staged), JSON.stringify(staged));
    }
    assert.deepEqual(treeOf(join(folder, "phone")), before);
    const again = trusting(world);
    assert.deepEqual(await again.stageUpdate({ ...stagingOf(folder, "v3"), release }), {
      ok: true,
    });
  }));

test("a device with a public key activates nothing that one without staged under a published name", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", V1);
    await makeActive(world, world.device());
    await world.publish("v2", V2);
    const release = published(folder, "release.json");
    const { zipUrl, manifest } = stagingOf(folder, "v2");
    const evil = manifest.replace('"engineApi":1', '"engineApi":2');
    const staged = await world.device().stageUpdate({
      name: "shell",
      version: "v2",
      manifest: evil,
      zipUrl,
    });
    assert.deepEqual(staged, { ok: true });
    const device = trusting(world);
    assert.ok(isUntrusted(await device.activate({ name: "shell", version: "v2", release })));
    await update(world, device); // which stages it again, as it was published
    assert.equal(await launch(device), "v2");
  }));
