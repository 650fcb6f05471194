import assert from "node:assert/strict";
import { before, test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { openBucket } from "../../lib/ota-publish/open-bucket.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { ABSENT, createTestClock } from "../support/store-world.ts";
import { findStore, type RunningStore, startGcs } from "../../scripts/gate/run-store.ts";
import { bucketContract } from "./bucket-contract.ts";
import { type OpenedBucket, text } from "./bucket-world.ts";

// A bucket on Google Cloud Storage, against fake-gcs-server. What that emulator leaves out is
// proven against the tiny store of tests/ota/gcs-server.ts instead: offsets and questions of
// resumable uploads (it appends whatever comes, and takes a question for the end), their
// cancellation, and the bucket's rules for other origins (it keeps none).

const emulator = await findStore("fake-gcs-server");

/** What no message may show. */
const SECRET = "token-of-this-test";

let server: RunningStore | null = null;
let endpoint = "";

before(async () => {
  if (emulator.skip !== false) return;
  server = await startGcs(emulator);
  endpoint = server.endpoint;
});

afterTests(() => server?.close());

/**
 * fake-gcs-server copies over what is there, whatever `ifGenerationMatch` says. This looks first,
 * as the real store does. Nothing else is mended.
 */
function honouringCopies(fetch: Fetch): Fetch {
  return async (url, init) => {
    const target = /\/rewriteTo(\/b\/.*)\?.*ifGenerationMatch=0/.exec(url)?.[1];
    if (target !== undefined) {
      const there = await fetch(`${endpoint}/storage/v1${target}`);
      await there.body?.cancel();
      if (there.ok) return new Response("{}", { status: 412 });
    }
    return await fetch(url, init);
  };
}

/** How a bucket is opened that is not quite the usual one. */
interface Opening {
  readonly name: string;
  readonly endpoint: string;
  readonly fetch: Fetch;
}

async function open({ name, endpoint, fetch }: Opening): Promise<Bucket> {
  const runtime = await loadRuntime();
  const env = (variable: string) => variable === "GOOGLE_OAUTH_ACCESS_TOKEN" ? SECRET : undefined;
  const opened = await openBucket(
    { ...runtime, host: { ...runtime.host, env }, fetch, clock: createTestClock() },
    `gs://${name}/some/prefix?endpoint=${endpoint}`,
    "user",
  );
  assert.ok(opened.ok);
  return opened.value;
}

async function openEmpty(): Promise<OpenedBucket> {
  assert.ok(server !== null);
  const name = new URL(await server.createBucket()).hostname;
  const { fetch: runtimeFetch } = await loadRuntime();
  const bucket = await open({ name, endpoint, fetch: honouringCopies(runtimeFetch) });
  return {
    bucket,
    async headersOf(key) {
      const object = encodeURIComponent(`some/prefix/${key}`);
      const response = await fetch(`${endpoint}/storage/v1/b/${name}/o/${object}`);
      const { cacheControl, contentType } = await response.json();
      return { cacheControl, contentType };
    },
    async leaveLitter() {
      for (let i = 0; i < 2; i++) {
        await bucket.put(`.slipway-probe-${crypto.randomUUID()}`, text("a probe"), ABSENT);
      }
      return 2;
    },
    close: () => Promise.resolve(),
  };
}

bucketContract({
  label: "gs:",
  skip: emulator.skip,
  secrets: [SECRET],
  // The emulator takes rules and keeps none, which the product finds out.
  crossOrigin: ["unsure", "unsure"],
  open: openEmpty,
  // The emulator asks for no credentials: what Google says to wrong ones is said in its place.
  openDenied: () =>
    open({
      name: "denied",
      endpoint,
      fetch: () =>
        Promise.resolve(
          Response.json({ error: { message: "Invalid Credentials" } }, { status: 401 }),
        ),
    }),
  async openUnreachable() {
    const { fetch } = await loadRuntime();
    return await open({ name: "gone", endpoint: "http://127.0.0.1:9", fetch });
  },
});

test(
  "gs: a bucket that does not exist is a failure that names it",
  { skip: emulator.skip },
  async () => {
    const { fetch } = await loadRuntime();
    const bucket = await open({ name: "no-such-bucket", endpoint, fetch });
    for (const result of [await bucket.list(""), await bucket.proveConditions()]) {
      assert.equal(
        result.ok ? "" : result.error.next,
        "Check that the bucket no-such-bucket exists",
      );
    }
  },
);
