import assert from "node:assert/strict";
import { test } from "node:test";
import { parseGcsUrl } from "../../lib/ota-publish/gcs/address.ts";
import { openBucket } from "../../lib/ota-publish/open-bucket.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";

const GOOGLE = "https://storage.googleapis.com";

for (
  const [url, emulatorHost, prefix, endpoint, place] of [
    ["gs://games", "", "", GOOGLE, "google"],
    ["gs://games/", "", "", GOOGLE, "google"],
    ["gs://games/mine/two/", "", "mine/two", GOOGLE, "google"],
    ["gs://games/a%20b", "", "a b", GOOGLE, "google"],
    ["gs://games", "localhost:4443", "", "http://localhost:4443", "here"],
    ["gs://games", "http://gcs:4443/", "", "http://gcs:4443", "elsewhere"],
    ["gs://games?endpoint=http://127.0.0.1:1", "gcs:4443", "", "http://127.0.0.1:1", "here"],
    ["gs://games?endpoint=http://[::1]:1/", "", "", "http://[::1]:1", "here"],
    [
      "gs://games?endpoint=https://storage.me-west1.rep.googleapis.com",
      "",
      "",
      "https://storage.me-west1.rep.googleapis.com",
      "google",
    ],
  ] as const
) {
  test(`parseGcsUrl() reads ${url} with STORAGE_EMULATOR_HOST=${emulatorHost}`, () =>
    assert.deepEqual(parseGcsUrl(new URL(url), emulatorHost), {
      ok: true,
      value: { bucket: "games", prefix, endpoint, place },
    }));
}

for (
  const [url, words] of [
    ["gs:games", /the bucket ""/],
    ["gs://Games", /the bucket "Games"/],
    ["gs://ga", /the bucket "ga"/],
    ["gs://me:hush@games", /a user, a port or a fragment/],
    ["gs://games:80", /a user, a port or a fragment/],
    ["gs://games/#x", /a user, a port or a fragment/],
    ["gs://games/a//b", /an invalid prefix/],
    ["gs://games/a%2f..%2fb", /an invalid prefix/],
    ["gs://games/%zz", /an invalid prefix/],
    ["gs://games?region=x", /the parameter "region", expected endpoint/],
    [
      "gs://games?endpoint=http://a.localhost&endpoint=http://b.localhost",
      /more than one endpoint/,
    ],
    ["gs://games?endpoint=https://evil.example", /that endpoint, expected https:/],
    ["gs://games?endpoint=https://evilgoogleapis.com", /that endpoint/],
    ["gs://games?endpoint=http://storage.googleapis.com", /that endpoint/],
    ["gs://games?endpoint=http://127.0.0.1:1/path", /that endpoint/],
    ["gs://games?endpoint=http://me:hush@127.0.0.1:1", /that endpoint/],
    ["gs://games?endpoint=http://127.0.0.1.evil.example", /that endpoint/],
    ["gs://games?endpoint=ftp://127.0.0.1", /that endpoint/],
  ] as const
) {
  test(`openBucket() refuses ${url}`, async () => {
    const opened = await openBucket(await loadRuntime(), url, "user");
    assert.equal(opened.ok ? "" : opened.error.code, "bad-bucket");
    const message = opened.ok ? "" : opened.error.message;
    assert.match(message, words);
    assert.doesNotMatch(message, /hush/);
  });
}

test("openBucket() opens gs: without asking the store, and shows no secrets", async () => {
  const runtime = await loadRuntime();
  const fetch: Fetch = () => assert.fail("nothing is to be fetched");
  const env = (name: string) => name === "GOOGLE_OAUTH_ACCESS_TOKEN" ? "hush" : undefined;
  const opened = await openBucket(
    { ...runtime, fetch, host: { ...runtime.host, env } },
    "gs://games/mine?endpoint=http://127.0.0.1:1",
    "user",
  );
  assert.equal(opened.ok && opened.value.label, "gs://games/mine");
});
