import assert from "node:assert/strict";
import { test } from "node:test";
import { ok } from "../../lib/core/result.ts";
import { openBucket } from "../../lib/ota-publish/open-bucket.ts";
import { parseS3Url } from "../../lib/ota-publish/s3/address.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { createTestClock } from "../support/store-world.ts";

const runtime = await loadRuntime();
const KEYS = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "secret-word" };

/** Opens a URL and looks which requests a bucket makes. */
async function askedBy(
  url: string,
  env: Readonly<Record<string, string>> = KEYS,
  key = "a",
): Promise<{ readonly label: string; readonly url: string; readonly headers: Headers }> {
  const asked: { url: string; headers: Headers }[] = [];
  const opened = await openBucket(
    {
      ...runtime,
      clock: createTestClock(),
      host: { ...runtime.host, home: "/nowhere", env: (name) => env[name] },
      fetch: (url, init) => {
        asked.push({ url, headers: new Headers(init?.headers) });
        return Promise.resolve(new Response(null, { status: 404 }));
      },
    },
    url,
    "user",
  );
  assert.ok(opened.ok, JSON.stringify(opened));
  assert.deepEqual(await opened.value.stat(key), ok(null));
  const [first] = asked;
  assert.ok(first);
  return { label: opened.value.label, ...first };
}

const ADDRESSES: readonly [string, Record<string, string>, string, string][] = [
  ["s3://games", KEYS, "s3://games", "https://games.s3.us-east-1.amazonaws.com/a"],
  [
    "s3://games/mine/?region=eu-west-1",
    KEYS,
    "s3://games/mine",
    "https://games.s3.eu-west-1.amazonaws.com/mine/a",
  ],
  [
    "s3://my.games",
    { ...KEYS, AWS_REGION: "eu-west-1" },
    "s3://my.games",
    "https://s3.eu-west-1.amazonaws.com/my.games/a",
  ],
  [
    "s3://games?region=cn-north-1",
    { ...KEYS, AWS_REGION: "eu-west-1" },
    "s3://games",
    "https://games.s3.cn-north-1.amazonaws.com.cn/a",
  ],
  [
    "s3://games?endpoint=http://127.0.0.1:9000/",
    KEYS,
    "s3://games",
    "http://127.0.0.1:9000/games/a",
  ],
  [
    "s3://games?endpoint=https://gate.example/s3",
    { ...KEYS, AWS_ENDPOINT_URL: "https://other.example" },
    "s3://games",
    "https://gate.example/s3/games/a",
  ],
  [
    "s3://games/x%20y%2Bz",
    { ...KEYS, AWS_ENDPOINT_URL: "https://r2.example" },
    "s3://games/x y+z",
    "https://r2.example/games/x%20y%2Bz/a",
  ],
  [
    "s3://games?endpoint=https://games.oss.example",
    KEYS,
    "s3://games",
    "https://games.oss.example/a",
  ],
  [
    "s3://Old_Games?endpoint=https://h",
    KEYS,
    "s3://Old_Games",
    "https://h/Old_Games/a",
  ],
];
for (const [url, env, label, want] of ADDRESSES) {
  // PUB-18
  test(`openBucket() of ${url} asks ${want}`, async () => {
    const asked = await askedBy(url, env);
    assert.equal(asked.label, label);
    assert.equal(asked.url, want);
  });
}

test("a request is signed for its region, by the injected clock, with the token it needs", async () => {
  const env = { ...KEYS, AWS_SESSION_TOKEN: "token-word" };
  const { headers } = await askedBy("s3://games?region=eu-west-1", env);
  assert.equal(headers.get("x-amz-date"), "20231114T221320Z");
  assert.equal(headers.get("x-amz-security-token"), "token-word");
  assert.match(
    headers.get("authorization") ?? "",
    /^AWS4-HMAC-SHA256 Credential=AKID\/20231114\/eu-west-1\/s3\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
  );
});

for (
  const [url, words] of [
    ["s3://", /the bucket ""/],
    ["s3:games", /the bucket ""/],
    ["s3://ga", /3 to 255 letters/],
    ["s3://games:9000/x", /the bucket "games:9000"/],
    ["s3://key:secret-word@games", /keys in the environment, never in the URL/],
    ["s3://games#x", /a fragment/],
    ["s3://games/a//b", /an invalid prefix/],
    ["s3://games/%E0%A4%A", /an invalid prefix/],
    ["s3://games/a%2F..%2Fb", /an invalid prefix/],
    ["s3://games?endpont=http://h", /"endpont", expected endpoint or region/],
    ["s3://games?region=a&region=b", /two of region/],
    ["s3://games?region=evil.example/", /the region "evil\.example\/"/],
    ["s3://games?endpoint=ftp://h", /an invalid endpoint/],
    ["s3://games?endpoint=http://10.0.0.2:9000", /https:.*or http on this machine/],
    ["s3://games?endpoint=http://s3.amazonaws.com", /or http on this machine/],
    ["s3://games?endpoint=localhost:9000", /https:\/\/host/],
    ["s3://games?endpoint=http://u:secret-word@h", /an invalid endpoint/],
    ["s3://games?endpoint=http://h/?x=1", /an invalid endpoint/],
  ] as const
) {
  test(`parseS3Url() refuses ${url}`, () => {
    const parsed = parseS3Url(new URL(url));
    assert.equal(parsed.ok ? "" : parsed.error.code, "bad-bucket");
    assert.match(parsed.ok ? "" : parsed.error.message, words);
    assert.doesNotMatch(parsed.ok ? "" : parsed.error.message, /secret-word/);
  });
}

test("openBucket() refuses an environment that names no place, and one without keys", async () => {
  for (
    const [env, code, words] of [
      [
        { ...KEYS, AWS_ENDPOINT_URL: "minio:9000" },
        "bad-bucket",
        /The environment has an invalid endpoint/,
      ],
      [
        { ...KEYS, AWS_ENDPOINT_URL_S3: "http://minio:9000" },
        "bad-bucket",
        /expected https:/,
      ],
      [{ ...KEYS, AWS_REGION: "EU (Ireland)" }, "bad-bucket", /The environment has the region/],
      [{}, "no-credentials", /No credentials for S3/],
    ] as const
  ) {
    const named: Readonly<Record<string, string | undefined>> = env;
    const host = { ...runtime.host, home: "/nowhere", env: (name: string) => named[name] };
    const opened = await openBucket({ ...runtime, host }, "s3://games", "user");
    assert.equal(opened.ok ? "" : opened.error.code, code);
    assert.match(opened.ok ? "" : opened.error.message, words);
  }
});

const EVIL = "https://evil.example";
for (
  const [url, env, accepted] of [
    ["s3://games", KEYS, true],
    ["s3://games?region=eu-west-1", KEYS, true],
    ["s3://games?endpoint=https://s3.eu-west-1.amazonaws.com", KEYS, true],
    ["s3://games?endpoint=https://s3.cn-north-1.amazonaws.com.cn", KEYS, true],
    [`s3://games?endpoint=${EVIL}`, KEYS, false],
    [`s3://games?endpoint=${EVIL}/s3.amazonaws.com`, KEYS, false],
    [`s3://games?endpoint=${EVIL}`, { ...KEYS, AWS_ENDPOINT_URL_S3: `${EVIL}/` }, true],
    [`s3://games?endpoint=${EVIL}`, { ...KEYS, AWS_ENDPOINT_URL: EVIL }, true],
    [`s3://games?endpoint=${EVIL}`, { ...KEYS, AWS_ENDPOINT_URL: "https://mine.example" }, false],
    [`s3://games?endpoint=${EVIL}`, { ...KEYS, AWS_ENDPOINT_URL: "evil.example" }, false],
    [`s3://games?endpoint=${EVIL}:8443`, { ...KEYS, AWS_ENDPOINT_URL: EVIL }, false],
    ["s3://games?endpoint=http://127.0.0.1:9000", KEYS, false],
    ["s3://games?endpoint=https://s3.amazonaws.com.evil.example", KEYS, false],
    ["s3://games?endpoint=https://evils3.amazonaws.com", KEYS, false],
    ["s3://games?endpoint=https://s3-website-us-east-1.amazonaws.com", KEYS, false],
    ["s3://games?endpoint=https://ec2-1-2-3-4.compute-1.amazonaws.com", KEYS, false],
    [
      "s3://games?endpoint=http://127.0.0.1:9000",
      { ...KEYS, AWS_ENDPOINT_URL: "http://127.0.0.1:9000" },
      true,
    ],
    ["gs://games", {}, true],
    ["gs://games?endpoint=https://storage.me-west1.rep.googleapis.com", {}, true],
    ["gs://games?endpoint=http://127.0.0.1:4443", {}, false],
    [
      "gs://games?endpoint=http://127.0.0.1:4443",
      { STORAGE_EMULATOR_HOST: "127.0.0.1:4443" },
      true,
    ],
    ["gs://games?endpoint=http://127.0.0.1:1", { STORAGE_EMULATOR_HOST: "127.0.0.1:4443" }, false],
  ] as const
) {
  const named = Object.entries(env).filter(([name]) => /ENDPOINT|EMULATOR/.test(name));
  const word = accepted ? "opens" : "refuses";
  test(`openBucket() ${word} a project's ${url} where the user named ${named.flat()}`, async () => {
    const all: Readonly<Record<string, string>> = { ...env, GOOGLE_OAUTH_ACCESS_TOKEN: "hush" };
    const host = { ...runtime.host, home: "/nowhere", env: (name: string) => all[name] };
    const fetch = () => assert.fail("nothing is to be fetched");
    const opened = await openBucket({ ...runtime, host, fetch }, url, "project");
    assert.equal(opened.ok, accepted);
    if (opened.ok) return;
    assert.equal(opened.error.code, "endpoint-not-allowed");
    assert.match(opened.error.next ?? "", /AWS_ENDPOINT_URL_S3|STORAGE_EMULATOR_HOST/);
    assert.doesNotMatch(JSON.stringify(opened.error), /secret-word|hush/);
  });
}
