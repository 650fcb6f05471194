import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkForUpdate } from "../../lib/ota-client/check.ts";
import { REQUEST_BYTES } from "../../lib/ota-format/diff.ts";
import {
  bundleZipPath,
  contentPath,
  manifestPath,
  RELEASE_PATH,
} from "../../lib/ota-format/layout.ts";
import { EMBEDDED, type Manifest, serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { ContentRef } from "../../lib/ota-format/release.ts";
import { withFolder } from "../support/folder.ts";
import { makeActive } from "../support/phone-life.ts";
import { openOtaWorld, type Tree } from "../support/ota-world.ts";
import { type Random, runSeed, seededRandom } from "../support/random.ts";
import { createFakeNative, createWorld, manifestOf, refOf } from "../support/release-world.ts";
import { rounds } from "../support/rounds.ts";

// A phone never fetches more than the whole bundle and one manifest (DIFF-3, DIFF-4).

const random = seededRandom(14);

/** Bytes that no packer makes smaller. */
function packed(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, () => random.below(256));
}

function treeOf(count: number, contentOf: (i: number) => string | Uint8Array): Tree {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`art/${i}`, contentOf(i)]));
}

const big = packed(300_000);
const small = treeOf(40, () => packed(1000));
const sources = treeOf(60, (i) => `let x${i} = ${"1 + ".repeat(500)}0;`);
const pictures = treeOf(20, () => packed(20_000));
const page = { "index.html": "<!doctype html>" };

// DIFF-4: what is served, and in how many requests for contents.
const PAIRS: readonly {
  readonly name: string;
  readonly from: Tree;
  readonly to: Tree;
  readonly requests: number;
}[] = [
  {
    name: "many small files changed",
    from: sources,
    to: treeOf(60, (i) => `let x${i} = ${"2 + ".repeat(500)}0;`),
    requests: 1, // the whole bundle
  },
  {
    name: "one big file changed",
    from: { ...small, "big.bin": big },
    to: { ...small, "big.bin": packed(300_000) },
    requests: 1,
  },
  {
    name: "all files renamed",
    from: pictures,
    to: Object.fromEntries(Object.entries(pictures).map(([path, bytes]) => [`new/${path}`, bytes])),
    requests: 0,
  },
  { name: "nothing in common", from: small, to: sources, requests: 1 },
  {
    name: "only compressed contents, three changed",
    from: pictures,
    to: { ...pictures, ...treeOf(3, () => packed(20_000)) },
    requests: 3,
  },
  {
    name: "only compressed contents, all changed",
    from: pictures,
    to: treeOf(20, () => packed(20_000)),
    requests: 1,
  },
];

for (const { name, from, to, requests } of PAIRS) {
  test(`two builds with ${name}: no more bytes than the whole bundle and a manifest`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      const device = world.device();
      for (const [version, tree] of [["v1", from], ["v2", to]] as const) {
        world.requests.length = 0;
        assert.ok((await world.publish(version, { ...page, ...tree })).ok);
        assert.equal((await world.check(device)).result, "staged");
      }
      const records = [RELEASE_PATH, manifestPath("shell", "v2")];
      const fetched = world.requests.filter((path) => !records.includes(path));
      assert.deepEqual(world.requests.slice(0, records.length), records);
      const sizeOf = (path: string) => statSync(join(folder, "bucket", path)).size;
      const cost = fetched.reduce((sum, path) => sum + sizeOf(path) + REQUEST_BYTES, 0);
      assert.ok(cost <= sizeOf(bundleZipPath("shell", "v2")) + REQUEST_BYTES, `${cost} bytes`);
      assert.equal(fetched.length, requests);
    }));
}

/** Lays bytes where a killed process leaves what it fetched. */
function layPartial(folder: string, { hash }: ContentRef, bytes: Uint8Array): void {
  const partial = join(folder, "phone/.partial");
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, `${hash}.${"0a".repeat(12)}`), bytes);
}

/** Files that a killed process left of v2, and the requests that follow. */
const LEFT: readonly {
  readonly what: string;
  readonly from: Tree;
  readonly to: Tree;
  readonly lay: (folder: string, v2: string, manifest: Manifest) => void;
  readonly asked: (manifest: Manifest) => readonly string[];
}[] = [
  {
    what: "all contents but one: that one, and not the whole bundle that would cost less",
    from: sources,
    to: treeOf(60, (i) => `let x${i} = ${"2 + ".repeat(500)}0;`),
    lay(folder, v2, { files }) {
      for (const [path, ref] of Object.entries(files)) {
        if (path === "art/7") continue;
        layPartial(folder, ref, readFileSync(join(v2, "files", ref.hash)));
      }
    },
    asked: ({ files }) => [contentPath("shell", "v2", files["art/7"]?.hash ?? "")],
  },
  {
    what: "most of the whole bundle: its rest, and not the content that would cost less",
    from: { ...small, "big.bin": big },
    to: { ...small, "big.bin": packed(300_000) },
    lay(folder, v2, { bundleZip }) {
      const bytes = readFileSync(join(v2, "bundle.zip"));
      if (bundleZip) layPartial(folder, bundleZip, bytes.subarray(0, bytes.length - 20_000));
    },
    asked: () => [bundleZipPath("shell", "v2")],
  },
];

for (const { what, from, to, lay, asked } of LEFT) {
  test(`a phone on which a killed process left ${what} (DIFF-5)`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      const device = world.device();
      await world.publish("v1", { ...page, ...from });
      await makeActive(world, device);
      assert.equal((await device.getState({})).partial, undefined);
      assert.ok((await world.publish("v2", { ...page, ...to })).ok);
      const v2 = join(folder, "bucket/bundles/shell/v2");
      const manifest: Manifest = JSON.parse(readFileSync(join(v2, "manifest.json"), "utf8"));
      lay(folder, v2, manifest);
      world.requests.length = 0;
      assert.equal((await world.check(device)).result, "staged");
      const records = [RELEASE_PATH, manifestPath("shell", "v2")];
      const fetched = world.requests.filter((path) => !records.includes(path));
      assert.deepEqual(fetched.sort(), asked(manifest));
      assert.equal((await device.getState({})).partial, undefined, "nothing is on its way");
    }));
}

test("getState() tells how far contents and whole bundles are, the furthest of each (DIFF-5)", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const partial = join(folder, "phone/.partial");
    mkdirSync(partial, { recursive: true });
    const [content, zip, cut] = ["a", "b", "c"].map((digit) => digit.repeat(64));
    const id = "0a".repeat(12);
    const files = [
      [`${content}.${id}`, 10],
      [`${zip}.${id}`, 30],
      [`${zip}.${"1b".repeat(12)}.1000.20`, 25], // 5 bytes after its headers
      [`${cut}.${id}.1000.20`, 19], // without all its headers it is no tail
      [`${cut}.${id}.tmp`, 7],
      ["note.txt", 7],
    ] as const;
    for (const [name, size] of files) writeFileSync(join(partial, name), new Uint8Array(size));
    const state = await world.device().getState({});
    assert.deepEqual({ ...state.partial }, { [content ?? ""]: 10, [zip ?? ""]: 1005 });
  }));

// DEV-71
test("getState() looks at 4,096 files of .partial, and at every tail of a whole bundle", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const partial = join(folder, "phone/.partial");
    mkdirSync(partial, { recursive: true });
    const id = "0a".repeat(12);
    const hashes = Array.from({ length: 4_100 }, (_, i) => i.toString(16).padStart(64, "0"));
    for (const hash of hashes) writeFileSync(join(partial, `${hash}.${id}`), "sail");
    const zip = "f".repeat(64);
    writeFileSync(join(partial, `${zip}.${id}.1000.20`), new Uint8Array(25));
    const reported = { ...(await world.device().getState({})).partial };
    const contents = hashes.slice(0, 4_095).map((hash) => [hash, 4]);
    assert.deepEqual(reported, { ...Object.fromEntries(contents), [zip]: 1005 });
  }));

// DEV-27
test("a delta of which copies are lost is not left for a whole bundle while most of it lies there", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    await world.publish("v1", { ...page, ...pictures });
    await makeActive(world, device);
    await world.publish("v2", { ...page, ...pictures, "late.txt": "late" });
    const v2 = join(folder, "bucket/bundles/shell/v2");
    const manifest: Manifest = JSON.parse(readFileSync(join(v2, "manifest.json"), "utf8"));
    for (const path of Object.keys(pictures)) {
      writeFileSync(join(folder, "phone/shell/v1", path), "lost"); // all that the base was for
      const ref = manifest.files[path];
      const bytes = readFileSync(join(v2, "files", ref?.hash ?? ""));
      if (ref && path !== "art/3") layPartial(folder, ref, bytes);
    }
    world.requests.length = 0;
    assert.equal((await world.check(device)).result, "staged");
    assert.ok(!world.requests.includes(bundleZipPath("shell", "v2")), world.requests.join());
  }));

/** A bundle of a few of twelve contents under a few of twelve names. */
function bundle(random: Random, version: string): Manifest {
  const files: Record<string, ContentRef> = {};
  const count = 1 + random.below(12);
  for (let i = 0; i < count; i++) {
    const content = random.below(12);
    const size = content * content * 997;
    files[`file-${random.below(12)}`] = {
      ...{ hash: refOf(String(content)).hash, size },
      ...(content % 3 === 1 && { served: Math.ceil(size / 3) }),
    };
  }
  const contentBytes = Object.values(files).reduce((sum, { size }) => sum + size, 0);
  const zip = { hash: refOf("zip").hash, size: Math.ceil(contentBytes * random.next()) };
  return { ...manifestOf(version, {}), files, bundleZip: zip };
}

/** A content is fetched once, however many paths have it. */
function costOf(refs: readonly ContentRef[]): number {
  const contents = [...new Map(refs.map((ref) => [ref.hash, ref])).values()];
  return contents.reduce((sum, { size, served = size }) => sum + served + REQUEST_BYTES, 0);
}

// DIFF-3: every base counts, the quarantined one as well.
test("of both ways to a random version the one is taken that costs less", async () => {
  const seed = runSeed();
  const world = await createWorld();
  for (let round = 0; round < rounds(40, 2000); round++) {
    const random = seededRandom(seed + round);
    const seedText = `SLIPWAY_SEED=${seed + round}`;
    const held = ["v1", "v3", "v4"].filter(() => random.next() < 0.6).map((at) =>
      bundle(random, at)
    );
    const binary = random.next() < 0.5 ? bundle(random, EMBEDDED) : null;
    const target = bundle(random, "v5");
    const place = { app: "default", channel: "production", sequence: 1 };
    const native = createFakeNative({
      state: { ...(random.next() < 0.5 && held[0] && { active: { shell: held[0].version } }) },
      rejected: { shell: held.slice(-1).map(({ version }) => version) },
      staged: { shell: held.map(({ version }) => version) },
      manifests: {
        ...Object.fromEntries(held.map((one) => [one.version, serializeManifest(one)])),
        ...(binary && { [EMBEDDED]: serializeManifest({ ...binary, ...place }) }),
      },
    });
    await world.release({
      bundles: { shell: "v5" },
      manifests: { shell: { ...world.manifest(target) } },
    });
    const check = await checkForUpdate({ fetch: world.fetch, native }, world.connection);
    assert.equal(check.result, "staged", `${seedText}: ${JSON.stringify(check)}`);

    const bases = [...held, ...(binary ? [binary] : [])];
    const hashes = new Set(
      bases.flatMap(({ files }) => Object.values(files)).map(({ hash }) => hash),
    );
    const lacking = Object.values(target.files).filter(({ hash }) => !hashes.has(hash));
    const bundleCost = costOf(target.bundleZip ? [target.bundleZip] : []);
    const single = bases.length === 0 ? Infinity : costOf(lacking);
    const delta = native.calls.find(({ op }) => op === "stageUpdateDelta");
    const taken = delta === undefined ? bundleCost : costOf(downloadsOf(delta.request, target));
    assert.equal(taken, Math.min(bundleCost, single), seedText);
  }
});

/** The contents that a request has the device fetch, by what the manifest says of them. */
function downloadsOf(request: unknown, { files }: Manifest): ContentRef[] {
  const { download } = Object(request);
  return download.map(({ path }: { path: string }) => files[path]);
}
