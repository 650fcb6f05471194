import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { checkForUpdate } from "../../lib/ota-client/check.ts";
import type { Device } from "../../lib/ota-device/device.ts";
import { createDevice } from "../support/device-under-test.ts";
import { contentPath } from "../../lib/ota-format/layout.ts";
import { EMBEDDED, type Manifest, serializeManifest } from "../../lib/ota-format/manifest.ts";
import { DEFAULT_TARGET } from "../../lib/ota-format/release.ts";
import { embedManifest } from "../../lib/ota-publish/embed.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { treeOf, withFolder, writeTree } from "../support/folder.ts";
import { createWorld, manifestOf, refOf, type World } from "../support/release-world.ts";

// A release that goes back to the version in the app binary (MAN-6, BOOT-20, CHECK-13).

const V2 = { "index.html": "two", "game.js": "same" };
const V3 = { "index.html": "three", "game.js": "same" };

/** A phone whose binary holds V2, in a world with v2 and v3 released; v3 has become active. */
async function openPhone(folder: string, released: Manifest) {
  const runtime = await loadRuntime();
  const world = await createWorld();
  const embedded = join(folder, "binary");
  writeTree(embedded, V2);
  const hash = refOf(serializeManifest(released)).hash;
  const built = await embedManifest(runtime, {
    dist: embedded,
    name: "shell",
    engineApi: 1,
    target: DEFAULT_TARGET,
    sequence: 0,
    released: { manifest: released, hash },
  });
  assert.ok(built.ok);
  for (const text of Object.values({ ...V2, ...V3 })) {
    for (const version of ["v2", "v3"]) {
      world.served.set(contentPath("shell", version, refOf(text).hash), text);
    }
  }
  const root = join(folder, "phone");
  const device = createDevice({ ...runtime, fetch: world.fetch, root, embedded });
  await releaseAs(world, 8, withoutZip("v3", V3));
  assert.equal(await check(world, device), "staged");
  for (let launch = 0; launch < 2; launch++) {
    const { token } = await device.launch({ name: "shell" });
    await device.confirmBoot({ name: "shell", token });
  }
  assert.equal(await launched(device), "v3");
  world.requests.length = 0;
  return { world, device, root, manifest: built.value.manifest };
}

function withoutZip(version: string, files: Record<string, string>): Manifest {
  const { bundleZip: _zip, ...manifest } = manifestOf(version, files);
  return manifest;
}

async function releaseAs(world: World, sequence: number, manifest: Manifest): Promise<void> {
  const { version } = manifest;
  const manifests = { shell: { ...world.manifest(manifest) } };
  await world.release({ sequence, bundles: { shell: version }, manifests });
}

async function check({ fetch, connection }: World, native: Device): Promise<string> {
  return (await checkForUpdate({ fetch, native }, connection)).result;
}

async function launched(device: Device): Promise<string> {
  const { target } = await device.launch({ name: "shell" });
  return target.kind === "embedded" ? EMBEDDED : target.version;
}

function bundlesOf(root: string): string[] {
  return Object.keys(treeOf(root)).filter((path) => path.includes("shell")).sort();
}

test("a release back to the embedded version fetches no manifest and writes no file of it", () =>
  withFolder(async (folder) => {
    const v2 = withoutZip("v2", V2);
    const { world, device, root } = await openPhone(folder, v2);
    const before = bundlesOf(root);
    await releaseAs(world, 9, v2);
    assert.equal(await check(world, device), "staged");
    assert.deepEqual(world.requests, ["release.json"]);
    assert.deepEqual(bundlesOf(root), before, "the running game keeps its files");
    assert.equal(await check(world, device), "up-to-date", "asked once");
    assert.equal(await launched(device), EMBEDDED);
    assert.equal(await check(world, device), "up-to-date");

    await releaseAs(world, 10, withoutZip("v3", V3));
    world.requests.length = 0;
    assert.equal(await check(world, device), "staged");
    assert.ok(world.requests.every((path) => !path.includes("/files/")), "v3 still lies there");
    assert.equal(await launched(device), "v3");
  }));

test("a release of another v2 than the embedded one is staged", () =>
  withFolder(async (folder) => {
    const { world, device } = await openPhone(folder, withoutZip("v2", V2));
    await releaseAs(world, 9, withoutZip("v2", { ...V2, "more.js": "same" }));
    assert.equal(await check(world, device), "staged");
    assert.equal(await launched(device), "v2");
  }));

test("embedManifest() takes the released version's name only for the very same bundle", () =>
  withFolder(async (folder) => {
    const runtime = await loadRuntime();
    writeTree(folder, V2);
    const same = withoutZip("v2", V2);
    const cases: readonly [Manifest, string | undefined, string, boolean][] = [
      [same, undefined, "v2", true],
      [same, "v2", "v2", true],
      [same, "v4", "v4", false],
      [same, EMBEDDED, EMBEDDED, false],
      [withoutZip("v2", V3), undefined, EMBEDDED, false],
      [withoutZip("v2", V3), "v2", "v2", false],
      [withoutZip("v2", { "index.html": "two" }), undefined, EMBEDDED, false],
      [withoutZip("v2", { ...V2, "more.js": "same" }), undefined, EMBEDDED, false],
      [{ ...same, name: "game" }, undefined, EMBEDDED, false],
      [{ ...same, engineApi: 2 }, undefined, EMBEDDED, false],
    ];
    for (const [manifest, version, expected, isPublished] of cases) {
      const hash = refOf(serializeManifest(manifest)).hash;
      const embedded = await embedManifest(runtime, {
        dist: folder,
        name: "shell",
        engineApi: 1,
        target: DEFAULT_TARGET,
        sequence: 0,
        released: { manifest, hash },
        ...(version !== undefined && { version }),
      });
      assert.ok(embedded.ok);
      const { published } = embedded.value.manifest;
      assert.deepEqual(
        [embedded.value.manifest.version, published],
        [expected, isPublished ? hash : undefined],
        `${version} ${JSON.stringify(manifest)}`,
      );
    }
  }));
