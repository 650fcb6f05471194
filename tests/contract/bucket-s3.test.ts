import assert from "node:assert/strict";
import { before } from "node:test";
import { AwsClient } from "aws4fetch";
import { afterTests } from "../support/after-tests.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { openBucket } from "../../lib/ota-publish/open-bucket.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { findStore, type RunningStore, startS3 } from "../../scripts/gate/run-store.ts";
import { bucketContract } from "./bucket-contract.ts";
import { ABSENT } from "../support/store-world.ts";
import { impatient, text } from "./bucket-world.ts";

// A bucket of an S3 store, against versitygw.

const store = await findStore("versitygw");
const runtime = await loadRuntime();
const PREFIX = "some prefix/ü+100%";
const WRONG = "a-wrong-secret-access-key";

let server: RunningStore | null = null;
before(async () => {
  if (store.skip === false) server = await startS3(store);
});
afterTests(() => server?.close());

function running(): RunningStore {
  assert.ok(server !== null, "no store was started");
  return server;
}

async function open(url: string, env: Readonly<Record<string, string>>): Promise<Bucket> {
  const host = { ...runtime.host, home: "/nowhere", env: (name: string) => env[name] };
  const opened = await openBucket(
    { ...runtime, host, clock: impatient(runtime.clock) },
    url,
    "user",
  );
  assert.ok(opened.ok, JSON.stringify(opened));
  return opened.value;
}

bucketContract({
  label: "s3:",
  skip: store.skip,
  secrets: [WRONG],
  crossOrigin: ["set", "ready"],
  async open() {
    const { endpoint, createBucket, env } = running();
    const url = await createBucket();
    const bucket = await open(url.replace("?", `/${encodeURIComponent(PREFIX)}?`), env);
    // Asks the store by itself, so that nothing is believed of the bucket.
    const client = new AwsClient({
      accessKeyId: env["AWS_ACCESS_KEY_ID"] ?? "",
      secretAccessKey: env["AWS_SECRET_ACCESS_KEY"] ?? "",
      service: "s3",
      region: "us-east-1",
    });
    const ask = async (method: string, key: string, query = "") => {
      const path = `${PREFIX}/${key}`.split("/").map(encodeURIComponent).join("/");
      const name = new URL(url).hostname;
      const answer = await client.fetch(`${endpoint}/${name}/${path}${query}`, { method });
      assert.ok(answer.ok, `${answer.status}`);
      return { headers: answer.headers, text: await answer.text() };
    };
    return {
      bucket,
      async headersOf(key) {
        const { headers } = await ask("GET", key);
        return {
          cacheControl: headers.get("cache-control") ?? "",
          contentType: headers.get("content-type") ?? "",
        };
      },
      async leaveLitter() {
        const keys = ["cut off", "deep/er/cut+off", "deep/er/cut+off"];
        for (const key of keys) await ask("POST", key, "?uploads=");
        await bucket.put(`.slipway-probe-${crypto.randomUUID()}`, text("probe"), ABSENT);
        return keys.length + 1;
      },
      close: () => Promise.resolve(),
    };
  },
  openDenied: async () =>
    await open(await running().createBucket(), { ...running().env, AWS_SECRET_ACCESS_KEY: WRONG }),
  openUnreachable: () => open("s3://bucket?endpoint=http://127.0.0.1:9", running().env),
});
