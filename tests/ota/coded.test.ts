import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { afterTests } from "../support/after-tests.ts";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { sha256Hex } from "../../lib/core/sha256.ts";
import { checkForUpdate } from "../../lib/ota-client/check.ts";
import {
  bundleZipPath,
  contentPath,
  DEFAULT_TARGET,
  IMMUTABLE_CACHE_CONTROL,
  type Manifest,
  manifestPath,
  parseManifest,
  type Release,
} from "../../lib/ota-format/mod.ts";
import type { Failure } from "../../lib/core/result.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { mayBeCoded } from "../../lib/ota-publish/coding.ts";
import { createReadBack } from "../../lib/project/served/mod.ts";
import { dryRun } from "../../lib/ota-publish/dry-run.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { openBucket } from "../../lib/ota-publish/open-bucket.ts";
import { findStore, type RunningStore, startS3 } from "../../scripts/gate/run-store.ts";
import { audit } from "../../lib/project/audit/audit.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld, type Tree } from "../support/ota-world.ts";
import { openPublicStore, type PublicStore } from "../support/public-store.ts";
import { patternOf } from "../support/store-world.ts";

// PUB-28. Contents stored gzip-coded, from a publisher over versitygw to a phone.

const store = await findStore("versitygw");
const { skip } = store;
let server: RunningStore | null = null;
before(async () => {
  if (store.skip === false) server = await startS3(store);
});
afterTests(() => server?.close());

interface CodedWorld {
  readonly world: OtaWorld;
  readonly bucket: Bucket;
  readonly players: PublicStore;
  publish(version: string, files: Tree): Promise<Release>;
  /** One check of the one phone. @returns What went over the line. */
  update(): Promise<{ readonly bytes: number; readonly paths: readonly string[] }>;
}

function withStore(work: (world: CodedWorld) => Promise<void>): () => Promise<void> {
  return () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      assert.ok(server !== null, "no store was started");
      const url = (await server.createBucket()).replace("?", "/games/mine?");
      const { env } = server;
      const host = { ...world.runtime.host, home: "/nowhere", env: (name: string) => env[name] };
      const opened = await openBucket({ ...world.runtime, host }, url, "user");
      assert.ok(opened.ok, JSON.stringify(opened));
      const bucket = opened.value;
      const players = await openPublicStore(server, url);
      const { fetch } = world.runtime;
      const device = world.device({ fetch });
      try {
        await work({
          world,
          bucket,
          players,
          async publish(version, files) {
            const place = { baseUrl: players.baseUrl, publicKey: world.key.publicKey };
            const readBack = createReadBack(world.runtime, place);
            const published = await world.publish(version, files, { bucket, readBack });
            assert.ok(published.ok, JSON.stringify(published));
            return published.value.release;
          },
          async update() {
            const before = players.bytes();
            const asked = players.requests.length;
            const check = await checkForUpdate({ fetch, native: device }, {
              baseUrl: players.baseUrl,
              publicKey: world.key.publicKey,
              bundleName: "shell",
              engineApi: 1,
            });
            assert.equal(check.result, "staged", JSON.stringify(check));
            for (let launch = 0; launch < 2; launch++) {
              const { token } = await device.launch({ name: "shell" });
              if (token !== undefined) await device.confirmBoot({ name: "shell", token });
            }
            return { bytes: players.bytes() - before, paths: players.requests.slice(asked) };
          },
        });
      } finally {
        await players.close();
      }
    });
}

/** Files of `size` bytes of text that deflate to about a fifth. */
function texts(count: number, size: number, seed: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => {
      let text = "";
      for (let line = 0; text.length < size; line++) {
        text += `${seed}: the level ${i} has ${(line * 7919 + i) % 1009} enemies\n`;
      }
      return [`level-${i}.txt`, text.slice(0, size)];
    }),
  );
}

async function manifestOf({ bucket }: CodedWorld, version: string): Promise<Manifest> {
  const read = await bucket.read(manifestPath("shell", version), 1 << 20);
  assert.ok(read.ok && read.value !== null);
  const parsed = parseManifest(read.value.bytes, { name: "shell", version });
  assert.ok(parsed.ok);
  return parsed.value;
}

async function statOf({ bucket }: CodedWorld, key: string) {
  const facts = await bucket.stat(key);
  assert.ok(facts.ok && facts.value !== null, key);
  return facts.value;
}

test(
  "publish() codes what saves a tenth, and tells how many bytes are served",
  { skip },
  withStore(async (opened) => {
    const files = {
      "index.html": "<p>hello</p>", // too small
      "text.txt": "to be coded\n".repeat(400),
      "same.txt": "to be coded\n".repeat(400),
      "noise.bin": patternOf(5_000), // saves nothing
      "noise.png": "to be coded, were it not for its name\n".repeat(400),
    };
    const release = await opened.publish("v1", files);
    const manifest = await manifestOf(opened, "v1");
    for (const [path, content] of Object.entries(files)) {
      const ref = manifest.files[path];
      const bytes = typeof content === "string" ? encodeUtf8(content) : content;
      const hash = await sha256Hex(bytes);
      const isCoded = path === "text.txt" || path === "same.txt";
      assert.deepEqual({ hash: ref?.hash, size: ref?.size }, { hash, size: bytes.length }, path);
      const facts = await statOf(opened, contentPath("shell", "v1", hash));
      assert.equal(ref?.served !== undefined, isCoded, path);
      assert.deepEqual(facts, {
        size: bytes.length,
        ...(isCoded && { served: ref?.served }),
      }, path);
    }
    const { served } = await statOf(opened, manifestPath("shell", "v1"));
    assert.equal(release.manifests["shell"]?.served, served);
    const { baseUrl } = opened.players;
    for (const [path, coding] of [["text.txt", "gzip"], ["noise.bin", null]] as const) {
      const key = contentPath("shell", "v1", manifest.files[path]?.hash ?? "");
      const { headers } = await opened.world.runtime.fetch(`${baseUrl}/${key}`, { method: "HEAD" });
      assert.equal(headers.get("content-encoding"), coding);
      const cache = `${IMMUTABLE_CACHE_CONTROL}${coding === null ? "" : ", no-transform"}`;
      assert.equal(headers.get("cache-control"), cache);
    }
  }),
);

/** The three kinds of updates that cost more than the whole bundle, and how they go now. */
const KINDS: readonly {
  readonly title: string;
  readonly before: Tree;
  readonly after: Tree;
  readonly way: "delta" | "zip";
}[] = [
  {
    title: "many small files that changed",
    before: texts(120, 3_000, "old"),
    after: texts(120, 3_000, "new"),
    way: "zip",
  },
  {
    title: "large texts that changed, beside what stays",
    before: { ...texts(3, 200_000, "old"), "stays.bin": patternOf(150_000) },
    after: { ...texts(3, 200_000, "new"), "stays.bin": patternOf(150_000) },
    way: "delta",
  },
  {
    title: "some middling files that changed",
    before: { ...texts(8, 30_000, "old"), "stays.bin": patternOf(150_000) },
    after: { ...texts(8, 30_000, "new"), "stays.bin": patternOf(150_000) },
    way: "delta",
  },
];

for (const { title, before: old, after: changed, way } of KINDS) {
  test(
    `a device fetches no more than the whole bundle: ${title}, by ${way}`,
    { skip },
    withStore(async (opened) => {
      const { publish, update } = opened;
      await publish("v1", old);
      await update();
      const release = await publish("v2", changed);
      const { bytes, paths } = await update();
      const ref = release.manifests["shell"];
      const zip = (await statOf(opened, bundleZipPath("shell", "v2"))).size;
      const records = 8_192 + (ref?.served ?? ref?.size ?? 0);
      const total = `${bytes} bytes, the zip has ${zip}`;
      assert.ok(bytes <= zip + 2 * records, `${total}: ${paths.join(" ")}`);
      assert.equal(paths.some((path) => path.endsWith("bundle.zip")), way === "zip");
      if (way === "delta") assert.ok(bytes < zip, total);
    }),
  );
}

test(
  "dryRun() tells the way that devices take then, and publish() tells it too",
  { skip },
  withStore(async (opened) => {
    const { world, bucket } = opened;
    for (const { before: old, after: changed, way } of KINDS.slice(0, 2)) {
      const version = way === "zip" ? 1 : 3;
      await opened.publish(`v${version}`, old);
      const dist = join(world.folder, `planned-${way}`);
      writeTree(dist, changed);
      const plan = await dryRun({ ...world.runtime, bucket, workFolder: world.folder }, {
        dist,
        name: "shell",
        version: `v${version + 1}`,
        engineApi: 1,
        target: DEFAULT_TARGET,
        key: world.key,
        minSequence: 0,
      });
      const done = await world.publish(`v${version + 1}`, changed, { bucket });
      assert.ok(plan.ok && done.ok);
      assert.deepEqual(done.value.updates, plan.value.updates);
      const [latest] = plan.value.updates;
      assert.deepEqual([latest?.from, latest?.way], [`v${version}`, way]);
      const { wayBytes: { delta = 0, zip = 0 } = {}, bytes } = latest ?? {};
      assert.equal(bytes, way === "zip" ? zip : delta);
      assert.equal(zip, plan.value.zipBytes);
    }
  }),
);

// PUB-27
test(
  "publish() reads back what it copied, and tells of bytes that are served otherwise",
  { skip },
  withStore(async ({ world, bucket, players }) => {
    const files = texts(20, 4_000, "same");
    const first = await world.publish("v1", files, { bucket });
    assert.ok(first.ok);
    const place = { baseUrl: players.baseUrl, publicKey: world.key.publicKey };
    const reported: string[] = [];
    const publish = (version: string, change: (bytes: Uint8Array<ArrayBuffer>) => Response) => {
      const fetch: Fetch = async (url, init) => {
        const answer = await world.runtime.fetch(url, init);
        return url.includes("/files/")
          ? change(new Uint8Array(await answer.arrayBuffer()))
          : answer;
      };
      const onWarning = ({ code }: Failure) => void reported.push(code);
      const readBack = createReadBack({ ...world.runtime, fetch, onWarning }, place);
      return world.publish(version, { ...files, [version]: version }, { bucket, readBack });
    };
    const raw = (bytes: Uint8Array<ArrayBuffer>) =>
      new Response(bytes, { headers: { "content-length": String(bytes.length) } });
    const good = await publish("v2", raw);
    assert.ok(good.ok, JSON.stringify(good));
    assert.deepEqual(reported, Array.from({ length: 16 }, () => "served"));
    const bad = await publish("v3", (bytes) => raw(bytes.fill(0, 10, 20)));
    assert.ok(!bad.ok && bad.error.code === "read-back", JSON.stringify(bad));
    assert.match(bad.error.message, /files\/[0-9a-f]{64} has SHA-256/);
  }),
);

test(
  "audit() finds nothing in a coded bucket, and tells of bytes that are served otherwise",
  { skip },
  withStore(async ({ world, players, publish }) => {
    await publish("v1", { ...texts(3, 40_000, "same"), "noise.bin": patternOf(2_000) });
    const { publicKey } = world.key;
    const place = { baseUrl: players.baseUrl, publicKey, target: DEFAULT_TARGET };
    const look = async (fetch: Fetch) => {
      const { findings } = await audit({
        ...world.runtime,
        fetch,
        workFolder: world.folder,
        signal: new AbortController().signal,
        onStep: () => undefined,
        onProgress: () => undefined,
      }, place);
      return findings.counts();
    };
    assert.deepEqual(await look(world.runtime.fetch), {});
    const decoding: Fetch = async (url, init) => {
      const answer = await world.runtime.fetch(url, init);
      const headers = new Headers(answer.headers);
      if (!headers.has("content-encoding") || init?.method === "HEAD") return answer;
      headers.delete("content-encoding");
      const bytes = await answer.arrayBuffer();
      headers.set("content-length", String(bytes.byteLength));
      return new Response(bytes, { headers });
    };
    assert.deepEqual(await look(decoding), { served: 3 }); // the manifest is too small
  }),
);

test(
  "publish() again, by a runtime that deflates otherwise, goes on with what is there",
  { skip },
  withStore(async ({ world, bucket }) => {
    const files = texts(5, 4_000, "same");
    const first = await world.publish("v1", files, { bucket });
    assert.ok(first.ok);
    const deflating = {
      ...world.runtime.deflating,
      deflate: (bytes: Uint8Array<ArrayBuffer>) =>
        Promise.resolve(new Uint8Array(gzipSync(bytes, { level: 1 }))),
    };
    const again = await world.publish("v1", files, { bucket, deflating });
    assert.ok(again.ok, JSON.stringify(again));
    assert.equal(again.value.resumed, true);
    assert.deepEqual(again.value.manifest, first.value.manifest);
    assert.equal(again.value.files.known, 5);
  }),
);

test(
  "publish() copies coded contents as they are",
  { skip },
  withStore(async (opened) => {
    const files = texts(5, 4_000, "same");
    await opened.publish("v1", files);
    const second = await opened.world.publish("v2", { ...files, "new.txt": "new" }, {
      bucket: opened.bucket,
    });
    assert.ok(second.ok);
    assert.deepEqual([second.value.files.copied, second.value.files.uploaded], [5, 1]);
    const [before, after] = [await manifestOf(opened, "v1"), await manifestOf(opened, "v2")];
    for (const path of Object.keys(files)) {
      assert.deepEqual(after.files[path], before.files[path]);
      const key = contentPath("shell", "v2", after.files[path]?.hash ?? "");
      assert.equal((await statOf(opened, key)).served, after.files[path]?.served);
    }
    assert.ok((await opened.update()).bytes > 0);
  }),
);

// PUB-28
test("mayBeCoded() takes contents from 1 KiB to 32 MiB that are not compressed already", () => {
  const MIB = 1024 * 1024;
  for (
    const [path, size, expected] of [
      ["engine.wasm", 8 * MIB + 1, true],
      ["engine.wasm", 32 * MIB, true],
      ["engine.wasm", 32 * MIB + 1, false],
      ["game.js", 1024, true],
      ["game.js", 1023, false],
      ["picture.png", 2048, false],
    ] as const
  ) {
    assert.equal(mayBeCoded(path, size), expected, `${path} of ${size}`);
  }
});
