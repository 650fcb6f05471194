import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { FileError } from "../../lib/core/file-error.ts";
import { sha256Hex } from "../../lib/core/sha256.ts";
import { checkForUpdate } from "../../lib/ota-client/check.ts";
import { createDevice } from "../../lib/ota-device/device.ts";
import { generateKeyPair } from "../../lib/ota-format/signing.ts";
import type { ProjectPublishRequest } from "../../lib/project/updates/publish-settings.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { stallingBody } from "../support/stalls.ts";
import {
  BASE_URL,
  BUILD,
  eventsOf,
  linesOf,
  openPublishWorld,
  type PublishWorld,
} from "./publish-world.ts";

/** Runs `work` in a world of its own. */
function inWorld(work: (world: PublishWorld) => Promise<void>): () => Promise<void> {
  return () => withFolder(async (folder) => work(await openPublishWorld(folder)));
}

/** Everything in the bucket, by path. */
function published({ bucket }: PublishWorld): string[] {
  if (!existsSync(bucket)) return [];
  return readdirSync(bucket, { recursive: true }).map(String).sort();
}

test(
  "Updates.publish() builds, publishes, and a device installs it",
  inWorld(async (world) => {
    const { started, events, data } = await world.publish({ version: "v1", mandatory: true });
    assert.ok(started.ok);
    assert.deepEqual([started.value.kind, started.value.state], ["publish", "running"]);
    assert.deepEqual(
      { ...data, manifest: null, bucket: "" },
      {
        ok: true,
        bundle: "shell",
        version: "v1",
        bucket: "",
        sequence: 1,
        mandatory: true,
        minEngineApi: 2,
        manifest: null,
        files: { uploaded: 2, copied: 0, known: 0, bytesUploaded: 28 },
        readBack: "served",
        warnings: [],
      },
    );
    const lines = linesOf(events);
    assert.ok(lines.includes("built"));
    for (const step of ["hash", "check", "upload", "claim", "release", "read back"]) {
      assert.ok(lines.includes(`publish: ${step}`), step);
    }
    assert.ok(events.some(({ event }) => event === "progress"));

    const { runtime, key } = world;
    const device = createDevice({ ...runtime, root: join(world.folder, "phone") });
    const check = await checkForUpdate({ fetch: runtime.fetch, native: device }, {
      baseUrl: BASE_URL,
      publicKey: key.publicKey,
      bundleName: "shell",
      engineApi: 2,
    });
    assert.deepEqual(check, { result: "staged", version: "v1", mandatory: true });
  }),
);

test(
  "Updates.publish() never takes what an earlier build left",
  inWorld(async (world) => {
    writeTree(world.root, { "dist/theirs.js": "old" });
    const refused = await world.publish({ version: "v1" });
    assert.equal(refused.data.code, "out-not-empty");
    assert.equal(existsSync(join(world.root, "dist/theirs.js")), true);
    rmSync(join(world.root, "dist"), { recursive: true });
    assert.equal((await world.publish({ version: "v1" })).data.files.uploaded, 2);
    writeTree(world.root, { "dist/stale.js": "old" });
    const { data } = await world.publish({ version: "v2" });
    assert.deepEqual([data.ok, data.version], [true, "v2"]);
    assert.equal(published(world).some((path) => /stale|slipway-build/.test(path)), false);
    assert.equal(existsSync(join(world.root, "dist/stale.js")), false);
  }),
);

// PUB-11
test(
  "Updates.publish() refuses a version that exists before it builds, and names a free one",
  inWorld(async (world) => {
    await world.publish({ version: "v3" });
    const before = published(world);
    writeTree(world.root, { "build.mjs": 'throw new Error("must not run")' });
    const { started, data } = await world.publish({ version: "v3" });
    assert.equal(started.ok, false);
    assert.deepEqual([data.status, data.code], [409, "version-exists"]);
    assert.match(data.detail, /shell v3/);
    assert.match(data.hint, /v4/);
    assert.ok(existsSync(join(world.root, "dist/index.html")), "nothing was emptied");
    assert.deepEqual(published(world), before);
  }),
);

test(
  "Updates.publish() goes on from the version before, and keeps what the release says",
  inWorld(async (world) => {
    await world.publish({ version: "v1", mandatory: true });
    writeTree(world.root, { "web/game.js": "console.log(2);" });
    const { data } = await world.publish({ version: "v2" });
    assert.deepEqual([data.sequence, data.mandatory, data.mandatoryFrom], [2, true, 1]);
    assert.deepEqual([data.files.uploaded, data.files.copied], [1, 1]);
    const third = await world.publish({ version: "v3", mandatory: false });
    assert.equal(third.data.mandatory, false);
  }),
);

// PUB-29
test(
  "Updates.publish() refuses what looks private, unless publish.allow of the project names it",
  inWorld(async (world) => {
    writeTree(world.root, { "web/.env": "TOKEN=x", "web/certs/a.pem": "x" });
    const { data } = await world.publish({ version: "v1" });
    assert.deepEqual([data.status, data.code], [422, "private-file"]);
    const places = ".env (settings of one machine), certs/a.pem (a private key)";
    assert.ok(data.detail.includes(`could read ${places}, which looks private`), data.detail);
    assert.match(data.hint, /publish\.allow/);
    assert.deepEqual(published(world), [], "nothing was written");
    world.configure({ publish: { bucket: world.bucketUrl, allow: [".env", "certs"] } });
    const allowed = await world.publish({ version: "v1" });
    assert.equal(allowed.data.ok, true, JSON.stringify(allowed.data));
  }),
);

const HOSTILE = [
  "../x",
  "$(touch owned)",
  "v1; touch owned",
  "`touch owned`",
  "v1\ntouch owned",
  "v1\0",
  "v1 && touch owned",
  "| cat",
  "v".repeat(10_000),
  "ｖ１",
  "v1é",
  "-rf",
  "%2e%2e",
  "constructor",
];
for (const name of ["bundle", "version", "bucket"] as const) {
  for (const value of HOSTILE) {
    if (name === "bundle" && value === "constructor") continue; // a name like any other
    // PUB-13
    test(`Updates.publish() refuses ${name} ${JSON.stringify(value.slice(0, 20))}`, () =>
      withFolder(async (folder) => {
        const world = await openPublishWorld(folder);
        const wish: ProjectPublishRequest = { version: "v1", [name]: value };
        const { data } = await world.publish(wish);
        assert.deepEqual([data.status, data.code], [400, "unsafe-value"]);
        assert.ok(data.detail.includes(`${name} "`), data.detail);
        assert.ok(data.detail.length < 600, "what is told is bounded");
        assert.equal(existsSync(join(world.root, "dist")), false, "nothing was built");
        assert.deepEqual(world.jobs.list(), []);
      }));
  }
}

for (
  const bucket of [
    "file:///a/../../etc",
    "file:///a/..",
    "file:///a b",
    "file://host/a",
    "s3://user:pass@games/x",
    "s3://games/$(x)",
    "s3://games/x;y",
    "gs://games/'x'",
    "https://games.example/x",
    "s3://games/../x",
  ]
) {
  test(
    `Updates.publish() refuses bucket ${bucket}`,
    inWorld(async (world) => {
      const { data } = await world.publish({ version: "v1", bucket });
      assert.deepEqual([data.status, data.code], [400, "unsafe-value"]);
    }),
  );
}

for (
  const [title, prepare, wish, status, code, words] of [
    [
      "another bundle",
      () => {},
      { bundle: "constructor" },
      422,
      "wrong-bundle",
      ["constructor", "shell"],
    ],
    [
      "updates that are off",
      (world: PublishWorld) => world.configure({ ota: { enabled: false } }),
      {},
      422,
      "ota-disabled",
      ["ota.enabled false", "ota.enabled true", "ota.baseUrl", "ota.publicKey", "ota.engineApi"],
    ],
    [
      "a project without updates",
      (world: PublishWorld) => world.configure({ ota: undefined, publish: undefined }),
      {},
      422,
      "ota-disabled",
      ["no ota block", "ota.bundleName", "publish.bucket"],
    ],
    [
      "no bucket",
      (world: PublishWorld) => world.configure({ publish: undefined }),
      {},
      422,
      "no-bucket",
      ["publish.bucket"],
    ],
    [
      "settings that are broken",
      (world: PublishWorld) => writeFileSync(join(world.root, "project.config.json"), "{"),
      {},
      422,
      "config-invalid",
      ["project.config.json"],
    ],
    [
      "no key",
      (world: PublishWorld) =>
        world.configure({
          publish: { bucket: world.bucketUrl, keyName: "other" },
        }),
      {},
      422,
      "missing-key",
      ["other.json"],
    ],
    [
      "a bucket in the out folder",
      (world: PublishWorld) =>
        world.configure({
          publish: { bucket: pathToFileURL(join(world.root, "dist/bucket")).href },
        }),
      {},
      422,
      "bucket-in-out",
      ["which the build empties"],
    ],
    [
      "an out folder that may not be emptied",
      (world: PublishWorld) =>
        world.configure({
          build: { web: { command: ["node", "build.mjs"], out: "assets" } },
        }),
      {},
      422,
      "unsafe-out",
      ["assets holds sources"],
    ],
    [
      "a build that fails",
      (world: PublishWorld) => writeTree(world.root, { "build.mjs": 'throw new Error("boom")' }),
      {},
      422,
      "build-failed",
      ["boom", "node build.mjs"],
    ],
  ] as const
) {
  test(
    `Updates.publish() refuses ${title}`,
    inWorld(async (world) => {
      prepare(world);
      const { data } = await world.publish({ version: "v1", ...wish });
      assert.deepEqual([data.status, data.code], [status, code], data.detail);
      for (const word of words) assert.ok(`${data.detail} ${data.hint}`.includes(word), word);
      assert.ok(data.hint.length > 5);
      assert.deepEqual(published(world).filter((path) => path.endsWith(".json")), []);
    }),
  );
}

const ENDLESS = `console.log("begun"); setInterval(() => {}, 1000);`;

test(
  "Updates.publish() refuses while another process builds the project, and goes on once that is over",
  () =>
    withFolder(async (folder) => {
      const world = await openPublishWorld(folder);
      writeTree(world.root, { "build.mjs": ENDLESS });
      const started = await world.updates.publish({ version: "v1" });
      assert.ok(started.ok);
      const { id } = started.value;
      for await (const { event, data } of world.jobs.events(id)) {
        if (event === "log" && data.line === "begun") break;
      }
      const other = await openPublishWorld(folder); // jobs of its own, as another process has
      const { data } = await other.publish({ version: "v2" });
      assert.deepEqual([data.status, data.code], [409, "publish-running"]);
      assert.match(data.detail, /process \d+: publish shell v1/);
      world.jobs.cancel(id);
      await eventsOf(world.jobs, id); // to its end
      const { data: published } = await other.publish({ version: "v2" });
      assert.equal(published.ok, true, JSON.stringify(published));
    }),
);

test(
  "Updates.publish() waits for no process that was killed while it built",
  () =>
    withFolder(async (folder) => {
      const world = await openPublishWorld(folder, { isAlive: () => false });
      const root = await world.runtime.files.realPath(world.root) ?? "";
      const name = (await sha256Hex(encodeUtf8(root))).slice(0, 32);
      const dead = JSON.stringify({ pid: 1, kind: "build", key: "web" });
      writeTree(world.userData, { [`builders/${name}`]: dead });
      assert.equal((await world.publish({ version: "v1" })).data.ok, true);
      assert.deepEqual(readdirSync(join(world.userData, "builders")), []);
    }),
);

test(
  "Updates.publish() tells before the build that the bucket cannot be reached",
  () =>
    withFolder(async (folder) => {
      const { runtime } = await openPublishWorld(folder);
      const world = await openPublishWorld(folder, {
        files: {
          ...runtime.files,
          stat: (path) =>
            path.includes("/bundles/")
              ? Promise.reject(new FileError("denied", path, `May not look at ${path}`))
              : runtime.files.stat(path),
        },
      });
      const { data } = await world.publish({ version: "v1" });
      assert.deepEqual([data.status, data.code], [503, "bucket"]);
      assert.match(data.detail, /May not look/);
      assert.equal(existsSync(join(world.root, "dist")), false, "nothing was built");
    }),
);

// PUB-12
test(
  "Updates.publish() refuses a key that installed apps do not trust, and names both",
  inWorld(async (world) => {
    const other = await generateKeyPair();
    world.writeKey(other);
    const { data } = await world.publish({ version: "v1" });
    assert.deepEqual([data.status, data.code], [422, "wrong-key"]);
    assert.ok(data.detail.includes(other.publicKey) && data.detail.includes(world.key.publicKey));
    assert.ok(!JSON.stringify(data).includes(other.privateKey));
  }),
);

test(
  "Updates.publish() refuses a key in the project's repository",
  () =>
    withFolder(async (folder) => {
      const { runtime } = await openPublishWorld(folder);
      const userData = join(folder, "game", "user");
      const world = await openPublishWorld(folder, { host: { ...runtime.host, userData } });
      writeTree(userData, { "ota-keys/default.json": JSON.stringify({ schema: 1, ...world.key }) });
      const { data } = await world.publish({ version: "v1" });
      assert.deepEqual([data.status, data.code], [422, "key-in-repository"]);
    }),
);

test(
  "Updates.publish() asks for a version and names the next free one",
  inWorld(async (world) => {
    const first = await world.publish();
    assert.deepEqual([first.data.status, first.data.code], [400, "missing-argument"]);
    assert.match(first.data.hint, /version=v1,/);
    await world.publish({ version: "v7" });
    assert.match((await world.publish()).data.hint, /version=v8,/);
    assert.deepEqual(world.jobs.list().length, 1);
  }),
);

test(
  "Updates.publish() with plan builds, plans and writes nothing to the bucket",
  inWorld(async (world) => {
    const empty = await world.publish({ plan: true });
    assert.deepEqual(
      [empty.data.ok, empty.data.plan, empty.data.version, empty.data.newFiles],
      [true, true, "v1", 2],
    );
    assert.deepEqual(published(world), []);
    await world.publish({ version: "v1" });
    const before = published(world);
    writeTree(world.root, { "web/game.js": "console.log(2);" });
    const { data } = await world.publish({ plan: true });
    assert.deepEqual([data.version, data.newFiles, data.knownFiles, data.sequence], [
      "v2",
      1,
      1,
      2,
    ]);
    assert.deepEqual(data.updates.map(({ from }: { from: string }) => from), ["v1"]);
    assert.deepEqual(published(world), before);
  }),
);

test(
  "Updates.publish() runs one publish at a time; the same one is attached to",
  inWorld(async (world) => {
    writeTree(world.root, { "build.mjs": ENDLESS });
    const one = await world.updates.publish({ version: "v1" });
    const [same, other] = await Promise.all([
      world.updates.publish({ version: "v1" }),
      world.updates.publish({ version: "v2" }),
    ]);
    assert.ok(one.ok && same.ok && !other.ok);
    assert.equal(one.value.id, same.value.id);
    assert.deepEqual([other.error.status, other.error.code], [409, "publish-running"]);
    assert.ok(other.error.detail.includes(one.value.id));
    assert.equal((await world.updates.status()).job?.id, one.value.id);
    world.jobs.cancel(one.value.id);
    await eventsOf(world.jobs, one.value.id);
    assert.equal((await world.updates.status()).job, undefined);
  }),
);

test(
  "Updates.publish() asked for two versions at once starts one of them",
  inWorld(async (world) => {
    const versions = ["v1", "v2", "v3", "v4"];
    const started = await Promise.all(
      versions.map((version) => world.updates.publish({ version })),
    );
    const codes = started.map((one) => one.ok ? "started" : one.error.code).sort();
    assert.deepEqual(codes, [
      "publish-running",
      "publish-running",
      "publish-running",
      "started",
    ]);
    const [job] = world.jobs.list();
    assert.ok(job !== undefined);
    assert.equal((await eventsOf(world.jobs, job.id)).at(-1)?.event, "done");
  }),
);

test(
  "Updates.publish() cancelled in the build stops, publishes nothing, and can be begun again",
  inWorld(async (world) => {
    writeTree(world.root, { "build.mjs": ENDLESS });
    const started = await world.updates.publish({ version: "v1" });
    assert.ok(started.ok);
    for await (const event of world.jobs.events(started.value.id)) {
      if (event.event === "log" && event.data.line === "begun") {
        world.jobs.cancel(started.value.id);
      }
    }
    const ended = world.jobs.get(started.value.id);
    assert.ok(ended.ok && ended.value.state === "cancelled");
    assert.deepEqual(published(world), []);
    world.configure({ build: { web: { command: ["node", "copy.mjs"], out: "dist" } } });
    writeTree(world.root, { "copy.mjs": BUILD });
    assert.equal((await world.publish({ version: "v1" })).data.ok, true);
  }),
);

test(
  "Updates.publish() cancelled while it is read back ends as published, and lets the next begin",
  () =>
    withFolder(async (folder) => {
      const { runtime } = await openPublishWorld(folder);
      let onZip = () => {};
      const world = await openPublishWorld(folder, {
        fetch: (url, init) => {
          if (!url.endsWith("bundle.zip")) return runtime.fetch(url, init);
          setTimeout(onZip, 5);
          return Promise.resolve(new Response(stallingBody()));
        },
      });
      const started = await world.updates.publish({ version: "v1" });
      assert.ok(started.ok);
      const { id } = started.value;
      onZip = () => world.jobs.cancel(id);
      const last = (await eventsOf(world.jobs, id)).at(-1);
      assert.equal(last?.event, "done", JSON.stringify(last));
      const { readBack, sequence, warnings } = last.data;
      assert.deepEqual([readBack, sequence], ["cancelled", 1]);
      assert.match(String(warnings), /^shell v1 is published as sequence 1; .*was cancelled/);
      const ended = world.jobs.get(id);
      assert.ok(ended.ok && ended.value.state === "done");
      onZip = () => {
        for (const job of world.jobs.list()) world.jobs.cancel(job.id);
      };
      const next = await world.publish({ version: "v2" });
      assert.deepEqual([next.started.ok, next.data.sequence], [true, 2]);
    }),
);

test(
  "Updates.publish() answers within a second when the bucket is slow to refuse",
  () =>
    withFolder(async (folder) => {
      const { runtime } = await openPublishWorld(folder);
      let answer = () => {};
      const slow = new Promise<void>((resolve) => answer = resolve);
      const files = {
        ...runtime.files,
        stat: async (path: string) => {
          if (path.includes("bucket") && path.endsWith("manifest.json")) await slow;
          return await runtime.files.stat(path);
        },
      };
      const world = await openPublishWorld(folder, {
        files,
        clock: {
          ...runtime.clock,
          sleep: (ms, signal) => ms < 10_000 ? Promise.resolve() : runtime.clock.sleep(ms, signal),
        },
      });
      const started = await world.updates.publish({ version: "v1" });
      assert.ok(started.ok && started.value.state === "running");
      answer();
      assert.deepEqual((await eventsOf(world.jobs, started.value.id)).at(-1)?.event, "done");
    }),
);

// PUB-15
test(
  "Updates.publish() warns when nobody answers at ota.baseUrl, and fails when it lies",
  () =>
    withFolder(async (folder) => {
      const fetch = () => Promise.reject(new TypeError("fetch failed"));
      const silent = await openPublishWorld(folder, { fetch });
      const { data } = await silent.publish({ version: "v1" });
      assert.deepEqual([data.ok, data.readBack, data.warnings.length], [true, "unreachable", 1]);
      const lying = await openPublishWorld(join(folder, "other"), {
        fetch: () => Promise.resolve(new Response("<html>", { status: 200 })),
      });
      const lied = (await lying.publish({ version: "v1" })).data;
      assert.deepEqual([lied.status, lied.code], [422, "read-back"]);
    }),
);

test(
  "Updates.keygen() mints once, never overwrites, never tells the private half",
  inWorld(async (world) => {
    const minted = await world.updates.keygen({ keyName: "release-1" });
    assert.ok(minted.ok);
    const { publicKey, path, keyName } = minted.value;
    assert.deepEqual([publicKey.length, keyName], [43, "release-1"]);
    const stored = JSON.parse(readFileSync(path, "utf8"));
    assert.equal(stored.publicKey, publicKey);
    assert.ok(!JSON.stringify(minted).includes(stored.privateKey));
    assert.equal(statSync(path).mode & 0o077, 0);
    const again = await world.updates.keygen({ keyName: "release-1" });
    assert.ok(!again.ok);
    assert.deepEqual([again.error.status, again.error.code], [409, "key-exists"]);
    assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), stored);
    assert.match(minted.value.next, /replace it only if no app is released/);
  }),
);

for (const keyName of HOSTILE.filter((value) => !["constructor"].includes(value))) {
  test(
    `Updates.keygen() refuses keyName ${JSON.stringify(keyName.slice(0, 20))}`,
    inWorld(async (world) => {
      const minted = await world.updates.keygen({ keyName });
      const good = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(keyName);
      assert.equal(minted.ok, good);
      if (!minted.ok) {
        assert.deepEqual([minted.error.status, minted.error.code], [400, "unsafe-value"]);
      }
    }),
  );
}
