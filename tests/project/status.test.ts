import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateKeyPair } from "../../lib/ota-format/signing.ts";
import type { OtaStatus } from "../../lib/project/status.ts";
import type { UpdatesOptions } from "../../lib/project/updates.ts";
import { withFolder } from "../support/folder.ts";
import { openPublishWorld, type PublishWorld } from "./publish-world.ts";

type Prepare = (world: PublishWorld) => void | Promise<void>;

const publishOne: Prepare = async (world) => {
  const { data } = await world.publish({ version: "v1", mandatory: true });
  assert.equal(data.ok, true);
};

const CASES: readonly (readonly [
  string,
  Prepare,
  (status: OtaStatus, world: PublishWorld) => void,
])[] = [
  ["nothing published", () => {}, (status) => {
    assert.deepEqual(status.release, { state: "none" });
    assert.equal(status.public?.state, "none");
    assert.deepEqual(status.versions, { total: 0, newest: [], truncated: false });
    assert.equal(status.nextVersion, "v1");
    assert.deepEqual(status.problems, []);
  }],
  ["one version published", publishOne, (status, world) => {
    assert.deepEqual(status, {
      enabled: true,
      bundleName: "shell",
      baseUrl: "https://cdn.example",
      engineApi: 2,
      app: "default",
      channel: "production",
      publicKey: world.key.publicKey,
      key: {
        name: "default",
        exists: true,
        publicKey: world.key.publicKey,
        matchesProject: true,
      },
      bucket: status.bucket,
      release: { state: "verified", sequence: 1, version: "v1", mandatory: true, minEngineApi: 2 },
      versions: { total: 1, newest: ["v1"], truncated: false },
      nextVersion: "v2",
      public: { state: "same", sequence: 1 },
      problems: [],
    });
    assert.match(status.bucket ?? "", /bucket/);
  }],
  ["another key on this machine", async (world) => world.writeKey(await generateKeyPair()), (
    status,
  ) => {
    assert.deepEqual([status.key.exists, status.key.matchesProject], [true, false]);
    assert.match(status.problems.join(), /not the one of ota\.publicKey/);
  }],
  [
    "no key",
    (world) => world.configure({ publish: { bucket: world.bucketUrl, keyName: "none" } }),
    (status) => {
      assert.deepEqual([status.key.name, status.key.exists], ["none", false]);
      assert.match(status.problems.join(), /svc_ota_keygen|ota-keygen/);
    },
  ],
  ["a release that another key signed", async (world) => {
    await publishOne(world);
    const { publicKey } = await generateKeyPair();
    world.configure({
      ota: {
        enabled: true,
        baseUrl: "https://cdn.example",
        publicKey,
        bundleName: "shell",
        engineApi: 2,
      },
    });
  }, (status) => {
    assert.equal(status.release?.state, "invalid");
    assert.equal(status.public?.state, "invalid");
  }],
  ["a release that is no JSON", async (world) => {
    await publishOne(world);
    writeFileSync(join(world.bucket, "release.json"), "<html>");
  }, (status) => assert.equal(status.release?.state, "invalid")],
  ["updates that are off", (world) => world.configure({ ota: { enabled: false } }), (status) => {
    assert.equal(status.enabled, false);
    assert.equal("bundleName" in status, false);
    assert.match(status.problems.join(), /ota\.enabled is not true/);
  }],
  [
    "a project without ota and publish",
    (world) => world.configure({ ota: undefined, publish: undefined }),
    (status) => {
      assert.equal(status.enabled, false);
      assert.equal("release" in status, false);
      assert.match(status.problems.join(), /publish\.bucket is not set/);
    },
  ],
  [
    "settings that are broken",
    (world) => writeFileSync(join(world.root, "project.config.json"), "{"),
    (status) => {
      assert.equal(status.enabled, false);
      assert.match(status.problems.join(), /project\.config\.json/);
    },
  ],
  [
    "a bucket that cannot be opened",
    (world) => world.configure({ publish: { bucket: "s3://x/" + "?endpoint=nowhere" } }),
    (status) => {
      assert.equal(status.enabled, true);
      assert.equal("release" in status, false);
      assert.match(status.problems.join(), /An s3: URL has the bucket "x"/);
    },
  ],
];

for (const [title, prepare, check] of CASES) {
  test(`Updates.status() tells ${title}`, () =>
    withFolder(async (folder) => {
      const world = await openPublishWorld(folder);
      await prepare(world);
      check(await world.updates.status(), world);
    }));
}

/** The status of a published project, with parts of its world replaced. */
async function statusWith(
  folder: string,
  over: (world: PublishWorld) => Partial<UpdatesOptions>,
): Promise<OtaStatus> {
  const first = await openPublishWorld(folder);
  await publishOne(first);
  const world = await openPublishWorld(folder, over(first));
  world.writeKey(first.key);
  world.configure({
    ota: {
      enabled: true,
      baseUrl: "https://cdn.example",
      publicKey: first.key.publicKey,
      bundleName: "shell",
      engineApi: 2,
    },
  });
  return await world.updates.status();
}

test("Updates.status() tells a cache that serves an older release", () =>
  withFolder(async (folder) => {
    const first = await openPublishWorld(folder);
    await publishOne(first);
    const older = readFileSync(join(first.bucket, "release.json"));
    await first.publish({ version: "v2" });
    const world = await openPublishWorld(folder, {
      fetch: () => Promise.resolve(new Response(new Uint8Array(older))),
    });
    world.configure({
      ota: {
        enabled: true,
        baseUrl: "https://cdn.example",
        publicKey: first.key.publicKey,
        bundleName: "shell",
        engineApi: 2,
      },
    });
    assert.deepEqual((await world.updates.status()).public, { state: "stale", sequence: 1 });
  }));

test("Updates.status() tells a public address that nobody answers", () =>
  withFolder(async (folder) => {
    const status = await statusWith(folder, () => ({
      fetch: () => Promise.reject(new TypeError("fetch failed")),
    }));
    assert.equal(status.public?.state, "unreachable");
    assert.equal(status.release?.state, "verified");
  }));

test("Updates.status() tells a bucket that throws, and one that never answers", () =>
  withFolder(async (folder) => {
    const broken = await statusWith(join(folder, "a"), ({ runtime }) => ({
      files: {
        ...runtime.files,
        read: (path, max, signal) =>
          path.endsWith("release.json")
            ? Promise.reject(new Error("boom"))
            : runtime.files.read(path, max, signal),
      },
    }));
    assert.equal(broken.release?.state, "unreachable");
    const hanging = await statusWith(join(folder, "b"), ({ runtime }) => ({
      files: {
        ...runtime.files,
        list: (path) => path.includes("/bucket") ? new Promise(() => {}) : runtime.files.list(path),
      },
      clock: { ...runtime.clock, sleep: () => new Promise((resolve) => setTimeout(resolve, 50)) },
    }));
    assert.equal(hanging.release?.state, "unreachable");
    assert.equal(hanging.key.exists, true);
  }));

test("Updates.status() tells credentials that nobody answers for", () =>
  withFolder(async (folder) => {
    const { runtime } = await openPublishWorld(folder);
    const host = {
      ...runtime.host,
      home: folder,
      env: (name: string) => name === "GCE_METADATA_HOST" ? "silent.example" : undefined,
    };
    const asked: string[] = [];
    const world = await openPublishWorld(folder, {
      host,
      fetch(url, init) {
        asked.push(url);
        return url.includes("silent.example")
          ? new Promise((_, reject) => {
            init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
          })
          : runtime.fetch(url, init);
      },
      // What a status waits for passes at once; a store's own deadline is longer, and does not.
      clock: {
        ...runtime.clock,
        sleep: (ms, signal) => runtime.clock.sleep(ms < 10_000 ? 50 : ms, signal),
      },
    });
    world.configure({ publish: { bucket: "gs://games/mine" } });
    const { problems } = await world.updates.status();
    assert.ok(asked.some((url) => url.includes("silent.example")), "it was asked");
    assert.match(problems.join(), /publish\.bucket .*no answer within 8000 ms/);
  }));

test("Updates.status() does not follow an out-of-bounds version into the answer", () =>
  withFolder(async (folder) => {
    const world = await openPublishWorld(folder);
    mkdirSync(join(world.bucket, "bundles/shell/v0"), { recursive: true });
    mkdirSync(join(world.bucket, "bundles/shell/nonsense"));
    mkdirSync(join(world.bucket, "bundles/shell/v12"));
    const { versions, nextVersion } = await world.updates.status();
    assert.deepEqual([versions?.newest, nextVersion], [["v12"], "v13"]);
  }));
