import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_TARGET } from "../../lib/ota-format/release.ts";
import { openBucket } from "../../lib/ota-publish/open-bucket.ts";
import { rollBack } from "../../lib/ota-publish/roll-back.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import type { PublishWarning } from "../../lib/ota-publish/warnings.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { findStore, startGcs, startS3 } from "../../scripts/gate/run-store.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { impatient } from "./bucket-world.ts";

// A publisher that may read, write and list, and remove nothing, on stores that really run. Whoever
// steals the keys of such a CI job can empty no bucket.

const s3 = await findStore("versitygw");
const gcs = await findStore("fake-gcs-server");
const runtime = await loadRuntime();

async function open(
  url: string,
  { env, fetch = runtime.fetch }: {
    readonly env: Readonly<Record<string, string>>;
    readonly fetch?: Fetch;
  },
): Promise<Bucket> {
  const host = { ...runtime.host, home: "/nowhere", env: (name: string) => env[name] };
  const clock = impatient(runtime.clock);
  const opened = await openBucket({ ...runtime, host, clock, fetch }, url, "user");
  assert.ok(opened.ok, JSON.stringify(opened));
  return opened.value;
}

/** Publishes three versions, goes back, and meets a bucket that lost its releases. */
async function publishes(limited: Bucket, owner: Bucket): Promise<void> {
  await withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const warnings: PublishWarning[] = [];
    const onWarning = (warning: PublishWarning) => void warnings.push(warning);
    const publish = (version: string) =>
      world.publish(version, { "index.html": version.repeat(2000), "same.js": "same" }, {
        bucket: limited,
        onWarning,
      });
    for (const version of ["v1", "v2", "v3"]) {
      const published = await publish(version);
      assert.ok(published.ok, JSON.stringify(published));
    }
    const back = await rollBack({ ...runtime, bucket: limited }, {
      name: "shell",
      to: "v2",
      key: world.key,
      target: DEFAULT_TARGET,
      minSequence: 0,
    });
    assert.ok(back.ok, JSON.stringify(back));
    assert.deepEqual(warnings.filter(({ code }) => code !== "cross-origin"), []);
    const removed = await limited.remove("bundles/shell/v1/manifest.json");
    assert.equal(removed.ok ? "removed" : removed.error.code, "denied");
    const names = await owner.list("releases");
    assert.ok(names.ok);
    for (const path of ["release.json", ...names.value.map((name) => `releases/${name}`)]) {
      if (path !== "releases/0.json") assert.ok((await owner.remove(path)).ok);
    }
    const lost = await publish("v4");
    assert.equal(
      lost.ok ? "published" : lost.error.code,
      "no-release",
      "the mark that stays has ended",
    );
  });
}

// PUB-14, PUB-23
test(
  "s3: s3:GetObject, s3:PutObject and s3:ListBucket are all that publishing needs",
  { skip: s3.skip },
  async () => {
    const server = await startS3(s3);
    try {
      const url = await server.createBucket();
      assert.ok(server.grant);
      const env = await server.grant(url, ["s3:GetObject", "s3:PutObject", "s3:ListBucket"]);
      await publishes(await open(url, { env }), await open(url, { env: server.env }));
    } finally {
      await server.close();
    }
  },
);

/**
 * The emulator knows no roles. What Google Cloud Storage asks of the README's role is said here:
 * replacing needs the right to delete, which is limited to two objects.
 */
function limited(fetch: Fetch): Fetch {
  return async (url, init) => {
    const { searchParams } = new URL(url);
    const condition = searchParams.get("ifGenerationMatch") ?? "0";
    const sent = condition === "0" ? init : await withBytes(init);
    const isAllowed = condition === "0"
      ? init?.method !== "DELETE"
      : /"name":"(?:release\.json|\.slipway-probe)"/.test(textOf(sent?.body));
    if (isAllowed) return await fetch(url, sent);
    const message = "does not have storage.objects.delete access";
    return Response.json({ error: { message } }, { status: 403 });
  };
}

async function withBytes(init: Parameters<Fetch>[1]): Promise<Parameters<Fetch>[1]> {
  return { ...init, body: new Uint8Array(await new Response(init?.body).arrayBuffer()) };
}

function textOf(body: unknown): string {
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : "";
}

// PUB-14, PUB-23
test(
  "gs: reading, creating, listing, and deleting two objects are all that publishing needs",
  { skip: gcs.skip },
  async () => {
    const server = await startGcs(gcs);
    try {
      const url = await server.createBucket();
      const env = { GOOGLE_OAUTH_ACCESS_TOKEN: "token-of-this-test" };
      const fetch = limited(runtime.fetch);
      await publishes(await open(url, { env, fetch }), await open(url, { env }));
    } finally {
      await server.close();
    }
  },
);
