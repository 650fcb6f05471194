import assert from "node:assert/strict";
import { test } from "node:test";
import { bundleZipPath, contentPath, manifestPath } from "../../lib/ota-format/layout.ts";
import { parseManifest } from "../../lib/ota-format/manifest.ts";
import { DEFAULT_TARGET, parseRelease, readRecord } from "../../lib/ota-format/release.ts";
import { generateKeyPair } from "../../lib/ota-format/signing.ts";
import { createFileBucket } from "../../lib/ota-publish/file/bucket.ts";
import { publish } from "../../lib/ota-publish/publish.ts";
import { sha256Hex } from "../../lib/core/sha256.ts";
import type { Files } from "../../lib/ports/files.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { type Disk, EVERYTHING, NOTHING } from "../support/power-cut-disk.ts";
import { createPowerCutFiles } from "../support/power-cut-files.ts";
import { rounds } from "../support/rounds.ts";

const BUCKET = "/srv/game/bucket";
const key = await generateKeyPair();
const runtime = await loadRuntime();

async function publishTo(files: Files, version: string) {
  const dist = `/dist/${version}`;
  await files.makeDirectory(`${dist}/deep`);
  await files.makeDirectory("/work");
  await files.write(`${dist}/index.html`, new TextEncoder().encode(version));
  await files.write(`${dist}/deep/same`, new TextEncoder().encode("same"));
  const bucket = createFileBucket({ ...runtime, files, folder: BUCKET });
  return await publish({ ...runtime, files, bucket, workFolder: "/work" }, {
    dist,
    name: "shell",
    version,
    engineApi: 1,
    target: DEFAULT_TARGET,
    key,
    minSequence: 0,
  });
}

/** The version that the release names, all of it there; `null` without a release. */
async function releasedVersion(disk: Disk): Promise<string | null> {
  const { files } = createPowerCutFiles(disk);
  const read = (path: string) => files.read(`${BUCKET}/${path}`, 1 << 20);
  const bytes = await read("release.json");
  if (bytes === null) return null;
  const record = readRecord(bytes);
  const release = record.ok ? parseRelease(record.value, DEFAULT_TARGET) : record;
  assert.ok(release.ok);
  const { sequence, bundles: { shell = "" }, manifests } = release.value;
  assert.deepEqual(await read(`releases/${sequence}.json`), bytes, "its sequence is claimed");
  const text = await read(manifestPath("shell", shell));
  assert.ok(text !== null, "its manifest is there");
  assert.equal(await sha256Hex(text), manifests["shell"]?.hash);
  const manifest = parseManifest(text, { name: "shell", version: shell });
  assert.ok(manifest.ok);
  for (const { hash } of Object.values(manifest.value.files)) {
    const content = await read(contentPath("shell", shell, hash));
    assert.ok(content !== null && await sha256Hex(content) === hash, "its contents are whole");
  }
  const zip = await read(bundleZipPath("shell", shell));
  assert.ok(zip !== null && await sha256Hex(zip) === manifest.value.bundleZip?.hash);
  return shell;
}

// PUB-1
for (const [version, before] of [["v1", null], ["v2", "v1"]] as const) {
  test(`publish() of ${version} on a disk whose power is cut at any step leaves what the release names`, async () => {
    const start = createPowerCutFiles();
    if (before !== null) assert.ok((await publishTo(start.files, before)).ok);
    const disk = start.disk.shutDown();
    const complete = createPowerCutFiles(disk.shutDown());
    assert.ok((await publishTo(complete.files, version)).ok);
    assert.equal(
      await releasedVersion(complete.disk.afterPowerCut(NOTHING)),
      version,
      "is durable",
    );
    const steps = complete.steps("power");
    for (let at = 1; at <= steps; at += Math.ceil(steps / rounds(20, steps))) {
      const cut = createPowerCutFiles(disk.shutDown(), { kind: "power", at, when: "after" });
      await publishTo(cut.files, version).catch(() => undefined);
      for (const survival of [NOTHING, EVERYTHING]) {
        const found = cut.disk.afterPowerCut(survival);
        const released = await releasedVersion(found);
        assert.ok(released === before || released === version, `step ${at}, ${survival.name}`);
      }
      const again = createPowerCutFiles(cut.disk.afterPowerCut(NOTHING));
      const resumed = await publishTo(again.files, version);
      assert.ok(resumed.ok, `step ${at}: ${JSON.stringify(resumed)}`);
      assert.equal(await releasedVersion(again.disk), version);
    }
  });
}
