import { test } from "node:test";
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { generateKeyPair } from "../../lib/ota-format/signing.ts";
import type { OtaStatus } from "../../lib/project/updates/status.ts";
import type { UpdatesOptions } from "../../lib/project/updates/updates.ts";
import { withFolder } from "../support/folder.ts";
import { openPublishWorld, patient, type PublishWorld } from "./publish-world.ts";

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
      nextVersion: "v2",
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
  }],
  ["a release that is no JSON", async (world) => {
    await publishOne(world);
    writeFileSync(join(world.bucket, "release.json"), "<x>WORD-OF-ANOTHER-SERVICE");
  }, (status) => {
    // It was fetched from an address that the project chose: nothing of it is shown.
    assert.deepEqual(status.release, {
      state: "invalid",
      reason: "Cannot read JSON: found other text, expected a value at character 0",
    });
  }],
  ["updates that are off", (world) => world.configure({ ota: { enabled: false } }), (status) => {
    assert.equal(status.enabled, false);
    assert.equal("bundleName" in status, false);
    assert.match(status.problems.join(), /ota\.enabled is not true/);
    assert.deepEqual(status.missing, [
      "ota.enabled",
      "ota.baseUrl",
      "ota.publicKey",
      "ota.bundleName",
      "ota.engineApi",
    ]);
  }],
  [
    "a project without ota and publish",
    (world) => world.configure({ ota: undefined, publish: undefined }),
    (status) => {
      assert.equal(status.enabled, false);
      assert.equal("release" in status, false);
      assert.match(status.problems.join(), /publish\.bucket is not set/);
      assert.equal(status.missing?.at(-1), "publish.bucket");
    },
  ],
  [
    "settings that are broken",
    (world) => writeFileSync(join(world.root, "project.config.json"), "{"),
    (status) => {
      assert.equal(status.enabled, false);
      assert.match(status.problems.join(), /project\.config\.json/);
      assert.equal("missing" in status, false); // nobody can tell
    },
  ],
  [
    "a bucket that is none",
    (world) => world.configure({ publish: { bucket: "s3://x/" + "?endpoint=nowhere" } }),
    (status) => {
      assert.equal(status.enabled, true);
      assert.equal("bucket" in status, false);
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

test("Updates.status() tells a public address that nobody answers", () =>
  withFolder(async (folder) => {
    const status = await statusWith(folder, () => ({
      fetch: () => Promise.reject(new TypeError("fetch failed", { cause: new Error("no route") })),
    }));
    assert.equal(status.release?.state, "unreachable");
    assert.match(JSON.stringify(status.release), /no route/);
    assert.equal("nextVersion" in status, false);
  }));

/** Every server that a project can name is this one, which writes down what it is asked. */
for (
  const bucket of [
    "s3://games/mine?endpoint=ENDPOINT",
    "s3://games",
    "gs://games/mine?endpoint=ENDPOINT",
    "gs://games",
    "file:///nowhere",
  ]
) {
  test(`Updates.status() opens no store: publish.bucket ${bucket}`, () =>
    withFolder((folder) =>
      withRecorder(async (endpoint, asked) => {
        const { runtime } = await openPublishWorld(folder);
        const read: string[] = [];
        const env: Readonly<Record<string, string>> = SECRETS;
        const world = await openPublishWorld(folder, {
          host: { ...runtime.host, home: folder, env: (name) => env[name] },
          files: {
            ...runtime.files,
            read(path, ...rest) {
              read.push(path);
              return runtime.files.read(path, ...rest);
            },
            list: (path) => assert.fail(`${path} is listed`),
          },
          fetch: (url, init) => {
            if (new URL(url).host === "cdn.example") return runtime.fetch(url, init);
            return fetch(endpoint, init);
          },
        });
        world.configure({ publish: { bucket: bucket.replace("ENDPOINT", endpoint) } });
        const { problems, bucket: label } = await world.updates.status();
        assert.deepEqual(problems, []);
        assert.equal(label, bucket.replace(/\?endpoint=.*/, ` at ${endpoint}`));
        assert.deepEqual(asked, []);
        assert.deepEqual(read.filter((path) => /\.aws|gcloud|nowhere/.test(path)), []);
      })
    ));
}

for (const scheme of ["s3", "gs"]) {
  for (const named of ["publish.bucket", "bucket="]) {
    test(`Updates.publish() signs nothing for a ${scheme}: server that ${named} names`, () =>
      withFolder((folder) =>
        withRecorder(async (endpoint, asked) => {
          const { runtime } = await openPublishWorld(folder);
          const env: Readonly<Record<string, string>> = SECRETS;
          const world = await openPublishWorld(folder, {
            host: { ...runtime.host, home: folder, env: (name) => env[name] },
            fetch: runtime.fetch,
            clock: patient(runtime.clock),
          });
          world.writeKey(world.key);
          const url = `${scheme}://games/mine?endpoint=${endpoint}`;
          if (named === "publish.bucket") world.configure({ publish: { bucket: url } });
          const { started, data } = await world.publish({
            version: "v1",
            ...(named === "bucket=" && { bucket: url }),
          });
          assert.equal(started.ok, false);
          assert.deepEqual([data.status, data.code], [422, "endpoint-not-allowed"]);
          assert.deepEqual(asked, []);
        })
      ));
  }
}

const SECRETS = {
  AWS_ACCESS_KEY_ID: "AKID",
  AWS_SECRET_ACCESS_KEY: "secret-word",
  GOOGLE_OAUTH_ACCESS_TOKEN: "secret-word",
};

/** A real server that writes down who asked it. */
async function withRecorder(
  use: (endpoint: string, asked: readonly string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`);
    response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    await use(`http://127.0.0.1:${address.port}`, asked);
  } finally {
    await new Promise((done) => server.close(done));
  }
}
