import assert from "node:assert/strict";
import { test } from "node:test";
import { ok } from "../../lib/core/result.ts";
import { sha256Hex } from "../../lib/core/sha256.ts";
import { contentPath } from "../../lib/ota-format/layout.ts";
import { provenCoding } from "../../lib/ota-publish/coding.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { ABSENT, bodyOf, createTestClock, patternOf } from "../support/store-world.ts";
import { document, error, type Fault, type Seen, tinyBucket, withTinyS3 } from "./s3-server.ts";

/** The probe in the tiny store. */
const PROBE = "/games/mine/.slipway-probe";
const BYTES = new TextEncoder().encode("{}");

/** The code and the words of a failure. */
function failureOf(
  result: Awaited<
    ReturnType<Bucket["put"] | Bucket["list"] | Bucket["remove"] | Bucket["proveConditions"]>
  >,
): [string, string] {
  return result.ok
    ? ["", ""]
    : [result.error.code, `${result.error.message}; ${result.error.next}`];
}

function isWrite({ method, query }: Seen): boolean {
  return method === "PUT" && !query.has("cors");
}

const CHEATS: readonly [string, (seen: Seen) => Fault | null, RegExp][] = [
  [
    "ignores If-None-Match",
    ({ headers }) => headers["if-none-match"] ? { kind: "ignore-conditions" } : null,
    /ignores If-None-Match: \*,/,
  ],
  [
    "ignores If-Match",
    ({ headers }) => headers["if-match"] ? { kind: "ignore-conditions" } : null,
    /ignores If-Match with an older tag,/,
  ],
  [
    "refuses If-None-Match always",
    ({ headers }) =>
      headers["if-none-match"] ? { kind: "answer", ...error(412, "PreconditionFailed") } : null,
    /refuses If-None-Match: \* where no object exists/,
  ],
  [
    "refuses If-Match always",
    ({ headers }) =>
      headers["if-match"] ? { kind: "answer", ...error(412, "PreconditionFailed") } : null,
    /refuses If-Match with the tag that is there/,
  ],
  [
    "does not know If-None-Match",
    ({ headers }) =>
      headers["if-none-match"] ? { kind: "answer", ...error(501, "NotImplemented") } : null,
    /does not know If-None-Match: \*,/,
  ],
  [
    "does not know If-Match",
    ({ headers }) =>
      headers["if-match"] ? { kind: "answer", ...error(501, "NotImplemented") } : null,
    /does not know If-Match,/,
  ],
];
for (const [what, fault, words] of CHEATS) {
  test(`proveConditions() refuses a store that ${what}, and leaves its probe alone`, () =>
    withTinyS3(async (s3) => {
      s3.fault = fault;
      const proven = await tinyBucket(s3).proveConditions();
      assert.equal(proven.ok ? "" : proven.error.code, "unsupported");
      assert.match(proven.ok ? "" : proven.error.message, words);
      assert.ok([...s3.objects.keys()].every((key) => key === PROBE));
    }));
}

test("proveConditions() passes an honest store, and a store out of reach is not called unsafe", () =>
  withTinyS3(async (s3) => {
    const bucket = tinyBucket(s3);
    for (let publish = 0; publish < 3; publish++) {
      assert.deepEqual(await bucket.proveConditions(), ok(null));
      assert.deepEqual([...s3.objects.keys()], [PROBE]);
    }
    assert.ok(s3.requests.every(({ method }) => method !== "DELETE"));
    s3.fault = () => ({ kind: "break-before" });
    const proven = await tinyBucket(s3).proveConditions();
    assert.equal(proven.ok ? "" : proven.error.code, "unreachable");
  }));

test("proveConditions() is passed by many publishers at once, over the same probe", () =>
  withTinyS3(async (s3) => {
    const proofs = Array.from({ length: 10 }, () => tinyBucket(s3).proveConditions());
    assert.deepEqual(await Promise.all(proofs), proofs.map(() => ok(null)));
  }));

for (const [what, fault, words] of CHEATS.slice(0, 1).concat(CHEATS.slice(1, 2), CHEATS.slice(3))) {
  test(`proveConditions() refuses a store that ${what}, where an earlier publish left the probe`, () =>
    withTinyS3(async (s3) => {
      assert.deepEqual(await tinyBucket(s3).proveConditions(), ok(null));
      s3.fault = fault;
      const proven = await tinyBucket(s3).proveConditions();
      assert.match(proven.ok ? "" : proven.error.message, words);
    }));
}

// PUB-28
test("provenCoding() asks a store once that forgets how contents are coded", () =>
  withTinyS3(async (s3) => {
    const runtime = await loadRuntime();
    const forgetting: Fetch = (url, init) => {
      const headers = new Headers(init?.headers);
      headers.delete("content-encoding");
      return fetch(url, { ...init, headers });
    };
    const counts: number[] = [];
    for (const over of [{}, { fetch: forgetting }]) {
      const before = s3.requests.length;
      const proven = await provenCoding(tinyBucket(s3, over), runtime);
      assert.deepEqual(proven.ok && proven.value !== null, over.fetch === undefined);
      counts.push(s3.requests.length - before);
    }
    assert.deepEqual(counts, [4, 4]);
  }));

test("proveConditions() names weak tags, and who weakens them", () =>
  withTinyS3(async (s3) => {
    const weakening: Fetch = async (url, init) => {
      const answer = await fetch(url, init);
      const tag = answer.headers.get("etag");
      if (tag === null) return answer;
      const headers = new Headers(answer.headers);
      headers.set("etag", `W/${tag}`);
      return new Response(answer.body, { status: answer.status, headers });
    };
    const proven = await tinyBucket(s3, { fetch: weakening }).proveConditions();
    const [code, words] = failureOf(proven);
    assert.equal(code, "unsupported");
    assert.match(words, /refuses If-Match with the tag that is there, a weak one \(W\/"/);
    assert.match(words, /Name the store itself as the endpoint/);
  }));

for (
  const [what, failure] of [
    ["HTTP 500", error(500, "InternalError")],
    ["HTTP 503", error(503, "SlowDown")],
    ["HTTP 429 without a document", { status: 429 }],
    ["a conflict", error(409, "ConditionalRequestConflict")],
    ["a stalled line", error(400, "RequestTimeout")],
  ] as const
) {
  test(`a call goes on after two answers of ${what}, with growing waits`, () =>
    withTinyS3(async (s3) => {
      const clock = createTestClock();
      s3.fault = () => s3.requests.length <= 2 ? { kind: "answer", ...failure } : null;
      const put = await tinyBucket(s3, { clock }).put("a", bodyOf(BYTES), ABSENT);
      assert.deepEqual(put, ok("written"));
      const [first = 0, second = 0] = clock.waits;
      assert.equal(clock.waits.length, 2);
      const base = what.includes("429") ? 1_000 : 500;
      assert.ok(first >= base / 2 && first <= 1.5 * base, `${clock.waits}`);
      assert.ok(second >= base && second <= 3 * base, `${clock.waits}`);
    }));
}

test("a call waits as long as a busy store asks, and a minute at most", () =>
  withTinyS3(async (s3) => {
    const clock = createTestClock();
    s3.fault = () => {
      const after = ["7", "3600"][s3.requests.length - 1];
      const headers = { "retry-after": after ?? "" };
      return after === undefined ? null : { kind: "answer", status: 503, headers };
    };
    const put = await tinyBucket(s3, { clock }).put("a", bodyOf(BYTES), ABSENT);
    assert.deepEqual(put, ok("written"));
    assert.deepEqual(clock.waits, [7_000, 60_000]);
  }));

// After each of these the object stands there, and its writer does not know.
for (
  const [what, fault] of [
    ["the connection breaks", { kind: "break-after" }],
    ["a gateway answers 502", { kind: "answer-after", status: 502 }],
    ["the answer never comes", { kind: "hang" }],
  ] as const
) {
  for (const size of [10, 9 * 1024 * 1024]) {
    test(`put() of ${size} bytes is written when ${what} after it was done`, () =>
      withTinyS3(async (s3) => {
        const clock = createTestClock();
        const makesIt = (seen: Seen) =>
          size === 10 ? isWrite(seen) : seen.method === "POST" && seen.query.has("uploadId");
        let broken = false;
        s3.fault = (seen) => {
          if (broken || !makesIt(seen)) return null;
          broken = true;
          if (fault.kind !== "hang") return fault;
          setTimeout(clock.expire, 1);
          return { kind: "hang" };
        };
        const bytes = patternOf(size);
        const bucket = tinyBucket(s3, { clock });
        assert.deepEqual(await bucket.put("a", bodyOf(bytes), ABSENT), ok("written"));
        const stored = s3.objects.get("/games/mine/a")?.bytes ?? new Uint8Array();
        assert.equal(Buffer.compare(stored, bytes), 0);
        assert.equal(s3.uploads.size, 0);
        assert.deepEqual(await bucket.put("a", bodyOf(bytes), ABSENT), ok("lost"));
      }));
  }
}

test("put() is lost when another writer was first while the connection broke", () =>
  withTinyS3(async (s3) => {
    const other = { bytes: BYTES, headers: { "x-amz-meta-slipway-write": "another" } };
    let broken = false;
    s3.fault = (seen) => {
      if (broken || !isWrite(seen)) return null;
      broken = true;
      s3.objects.set("/games/mine/a", other);
      return { kind: "break-before" };
    };
    assert.deepEqual(await tinyBucket(s3).put("a", bodyOf(BYTES), ABSENT), ok("lost"));
    assert.equal(s3.objects.get("/games/mine/a"), other);
  }));

for (const [attempts, want] of [[1, "written"], [3, "unreachable"]] as const) {
  test(`put() begins anew when the store loses ${attempts} uploads: ${want}`, () =>
    withTinyS3(async (s3) => {
      let lost = 0;
      s3.fault = ({ query }) => {
        if (query.get("partNumber") !== "2" || lost === attempts) return null;
        lost++;
        return { kind: "answer", ...error(404, "NoSuchUpload") };
      };
      const put = await tinyBucket(s3).put("a", bodyOf(patternOf(9 << 20)), ABSENT);
      assert.equal(put.ok ? put.value : put.error.code, want);
      assert.equal(s3.objects.has("/games/mine/a"), want === "written");
      assert.equal(s3.uploads.size, 0);
    }));
}

test("put() begins anew after a conflict that stays", () =>
  withTinyS3(async (s3) => {
    let first = "";
    s3.fault = ({ method, query }) => {
      const id = query.get("uploadId") ?? "";
      if (method !== "POST" || id === "") return null;
      first ||= id;
      return id === first ? { kind: "answer", ...error(409, "ConditionalRequestConflict") } : null;
    };
    const put = await tinyBucket(s3).put("a", bodyOf(patternOf(9 << 20)), ABSENT);
    assert.deepEqual(put, ok("written"));
    assert.equal(s3.uploads.size, 0);
  }));

test("put() and copy() take no failure for a success that comes with status 200", () =>
  withTinyS3(async (s3) => {
    const bucket = tinyBucket(s3);
    await bucket.put("from", bodyOf(BYTES), ABSENT);
    const failing = (status: number, code: string): void => {
      s3.fault = ({ method, query, headers }) =>
        headers["x-amz-copy-source"] || (method === "POST" && query.has("uploadId"))
          ? { kind: "answer", ...error(status, code) }
          : null;
    };
    for (
      const [code, want] of [["InternalError", "unreachable"], ["AccessDenied", "other"]] as const
    ) {
      failing(200, code);
      const large = bodyOf(patternOf(9 << 20));
      for (
        const result of [
          await bucket.copy("from", "to", ABSENT),
          await bucket.put("to", large, ABSENT),
        ]
      ) {
        assert.equal(failureOf(result)[0], want);
        assert.match(failureOf(result)[1], new RegExp(`It says ${code}`));
      }
    }
    s3.fault = ({ headers }) =>
      headers["x-amz-copy-source"] ? { kind: "answer", status: 200 } : null;
    assert.match(failureOf(await bucket.copy("from", "to", ABSENT))[1], /no CopyObjectResult/);
    assert.deepEqual([...s3.objects.keys()], ["/games/mine/from"]);
    assert.equal(s3.uploads.size, 0);
  }));

// PUB-27
for (const size of [10, 9 << 20]) {
  test(`copy() of ${size} bytes is refused where the store keeps no checksum`, () =>
    withTinyS3(async (s3) => {
      const bytes = patternOf(size);
      const expected = { ...bodyOf(bytes), hash: await sha256Hex(bytes) };
      const bucket = tinyBucket(s3);
      s3.fault = () => ({ kind: "ignore-checksums" });
      assert.deepEqual(await bucket.put("from", bodyOf(bytes), ABSENT), ok("written"));
      const copied = await bucket.copy("from", "to", { ...ABSENT, expected });
      assert.match(failureOf(copied)[1], /no checksum of the store proves/);
      assert.equal(s3.objects.has("/games/mine/to"), false);
    }));

  test(`put() of ${size} bytes learns once that the store takes no checksum`, () =>
    withTinyS3(async (s3) => {
      const bucket = tinyBucket(s3);
      let refused = 0;
      s3.fault = ({ headers }) => {
        const isChecked = Object.keys(headers).some((name) => name.startsWith("x-amz-checksum"));
        if (!isChecked) return null;
        refused++;
        return { kind: "answer", ...error(501, "NotImplemented") };
      };
      for (const key of ["a", "b"]) {
        assert.deepEqual(await bucket.put(key, bodyOf(patternOf(size)), ABSENT), ok("written"));
      }
      assert.equal(refused, 1);
    }));
}

test("copy() of a source that is replaced meanwhile writes nothing", () =>
  withTinyS3(async (s3) => {
    const bucket = tinyBucket(s3);
    const expected = { ...bodyOf(BYTES), hash: await sha256Hex(BYTES) };
    await bucket.put("from", bodyOf(BYTES), ABSENT);
    s3.fault = ({ headers }) => {
      if (headers["x-amz-copy-source"]) {
        s3.objects.set("/games/mine/from", { bytes: patternOf(5), headers: {} });
      }
      return null;
    };
    const copied = await bucket.copy("from", "to", { ...ABSENT, expected });
    assert.match(failureOf(copied)[1], /no checksum of the store proves/);
    assert.equal(s3.objects.has("/games/mine/to"), false);
  }));

test("copy() is written when its answer is lost, and lost to who comes between", () =>
  withTinyS3(async (s3) => {
    const bucket = tinyBucket(s3);
    await bucket.put("from", bodyOf(BYTES), ABSENT);
    let copies = 0;
    s3.fault = ({ headers }) =>
      headers["x-amz-copy-source"] && ++copies === 1 ? { kind: "break-after" } : null;
    assert.deepEqual(await bucket.copy("from", "to", ABSENT), ok("written"));
    s3.fault = ({ headers }) => {
      if (headers["x-amz-copy-source"]) {
        s3.objects.set("/games/mine/other", { bytes: BYTES, headers: {} });
      }
      return null;
    };
    assert.deepEqual(await bucket.copy("from", "other", ABSENT), ok("lost"));
  }));

test("put() that is cut off every time settles by what is there: its own, another's, nothing", () =>
  withTinyS3(async (s3) => {
    const bucket = tinyBucket(s3);
    await bucket.put("there", bodyOf(BYTES), ABSENT);
    const before = await bucket.read("there", 100);
    assert.ok(before.ok && before.value !== null);
    const { tag } = before.value;
    const changed = new TextEncoder().encode('{"a":1}');
    await bucket.put("there", bodyOf(changed), { ...ABSENT, when: { kind: "unchanged", tag } });

    // As stores do that refuse a condition while the body is still on its way.
    s3.fault = (seen) => isWrite(seen) ? { kind: "break-before" } : null;
    assert.deepEqual(await bucket.put("there", bodyOf(BYTES), ABSENT), ok("lost"));
    const stale = { ...ABSENT, when: { kind: "unchanged", tag } } as const;
    assert.deepEqual(await bucket.put("there", bodyOf(BYTES), stale), ok("lost"));
    const none = await bucket.put("none", bodyOf(BYTES), ABSENT);
    assert.equal(failureOf(none)[0], "unreachable");
    const now = await bucket.read("there", 100);
    assert.ok(now.ok && now.value !== null);
    const fresh = { ...ABSENT, when: { kind: "unchanged", tag: now.value.tag } } as const;
    assert.equal(failureOf(await bucket.put("there", bodyOf(BYTES), fresh))[0], "unreachable");

    s3.fault = (seen) => isWrite(seen) ? { kind: "break-after" } : null;
    assert.deepEqual(await bucket.put("heard", bodyOf(BYTES), ABSENT), ok("written"));
  }));

const ANSWERS: readonly [string, Fault, string, RegExp][] = [
  [
    "503 for good",
    { kind: "answer", ...error(503, "SlowDown") },
    "unreachable",
    /HTTP 503, SlowDown/,
  ],
  ["a broken connection", { kind: "break-before" }, "unreachable", /Cannot list .*127\.0\.0\.1/],
  [
    "an unknown key",
    { kind: "answer", ...error(403, "InvalidAccessKeyId") },
    "denied",
    /to the keys of the test; Check the access key's id/,
  ],
  [
    "a wrong secret",
    { kind: "answer", ...error(403, "SignatureDoesNotMatch", "<StringToSign>x</StringToSign>") },
    "denied",
    /; Check the secret access key$/,
  ],
  ["ended keys", { kind: "answer", ...error(400, "ExpiredToken") }, "denied", /Log in again/],
  [
    "a clock that is off",
    { kind: "answer", ...error(403, "RequestTimeTooSkewed") },
    "denied",
    /Set the clock/,
  ],
  [
    "403 without words",
    { kind: "answer", status: 403 },
    "denied",
    /s3:ListBucket on the bucket games/,
  ],
  [
    "no bucket",
    { kind: "answer", ...error(404, "NoSuchBucket") },
    "other",
    /Create the bucket games, or check its name/,
  ],
  [
    "another region in a header",
    { kind: "answer", status: 301, headers: { "x-amz-bucket-region": "us-west-2" } },
    "other",
    /the bucket is in us-west-2, not in eu-central-1; Set AWS_REGION to us-west-2/,
  ],
  [
    "another region in a document",
    { kind: "answer", ...error(400, "AuthorizationHeaderMalformed", "<Region>us-west-2</Region>") },
    "other",
    /the bucket is in us-west-2/,
  ],
  [
    "another endpoint",
    { kind: "answer", ...error(301, "PermanentRedirect", "<Endpoint>e.example</Endpoint>") },
    "other",
    /The store names e\.example; name the right \?endpoint=/,
  ],
  ["a full store", { kind: "answer", ...error(400, "QuotaExceeded") }, "full", /Free some space/],
  ["no such call", { kind: "answer", ...error(501, "NotImplemented") }, "unsupported", /HTTP 501/],
  [
    "a page for people",
    { kind: "answer", status: 200, body: "<html>" },
    "other",
    /no ListBucketResult/,
  ],
  ["nothing", { kind: "answer", status: 200 }, "other", /no ListBucketResult/],
  [
    "endless XML",
    { kind: "answer", ...document("ListBucketResult", "<Contents></Contents>".repeat(250_000)) },
    "other",
    /more than 4194304 bytes/,
  ],
  [
    "XML that grows as it is read",
    {
      kind: "answer",
      status: 200,
      body: '<!DOCTYPE a [<!ENTITY b "bbbb">]><ListBucketResult>&b;</ListBucketResult>',
    },
    "other",
    /no ListBucketResult/,
  ],
  [
    "names from outside its folder",
    {
      kind: "answer",
      ...document(
        "ListBucketResult",
        "<CommonPrefixes><Prefix>other/</Prefix></CommonPrefixes>",
      ),
    },
    "other",
    /no listing/,
  ],
  [
    "the same page again",
    {
      kind: "answer",
      ...document(
        "ListBucketResult",
        "<IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>",
      ),
    },
    "other",
    /the same page again/,
  ],
];
for (const [what, fault, code, words] of ANSWERS) {
  test(`a call fails as ${code} on ${what}`, () =>
    withTinyS3(async (s3) => {
      s3.fault = () => fault;
      const [found, message] = failureOf(await tinyBucket(s3).list(""));
      assert.equal(found, code, message);
      assert.match(message, words);
      assert.doesNotMatch(message, /secret-word|StringToSign/);
    }));
}

test("a call that is never answered ends with its deadline", () =>
  withTinyS3(async (s3) => {
    const clock = createTestClock();
    s3.fault = () => {
      setTimeout(clock.expire, 1);
      return { kind: "hang" };
    };
    const [code, message] = failureOf(
      await tinyBucket(s3, { clock, deadlineMs: 1234 }).remove("a"),
    );
    assert.equal(code, "unreachable");
    assert.match(message, /no answer within 1234 ms/);
  }));

test("a put that is given up drops its parts and makes no other try", () =>
  withTinyS3(async (s3) => {
    const abort = new AbortController();
    s3.fault = ({ query }) => {
      if (query.get("partNumber") !== "2") return null;
      abort.abort(new Error("enough"));
      return { kind: "hang" };
    };
    const bucket = tinyBucket(s3, { signal: abort.signal });
    const put = await bucket.put("a", bodyOf(patternOf(20 << 20)), ABSENT);
    assert.match(failureOf(put)[1], /cancelled: enough/);
    assert.equal(s3.uploads.size, 0);
    assert.equal(s3.objects.size, 0);
    assert.equal(s3.requests.filter(({ query }) => query.get("partNumber") === "2").length, 1);
  }));

for (const length of [10, 20 << 20]) {
  test(`put() refuses a body that is longer or shorter than ${length} bytes, as it says`, () =>
    withTinyS3(async (s3) => {
      const bucket = tinyBucket(s3);
      for (const found of [length - 1, length + 1]) {
        const body = { ...bodyOf(patternOf(found)), size: length };
        assert.match(failureOf(await bucket.put("a", body, ABSENT))[1], /Its body has /);
      }
      assert.deepEqual([s3.objects.size, s3.uploads.size], [0, 0]);
    }));
}

test("put() is lost where there is nothing any more to replace", () =>
  withTinyS3(async (s3) => {
    const when = { kind: "unchanged", tag: '"0123"' } as const;
    for (const size of [10, 9 << 20]) {
      const put = await tinyBucket(s3).put("a", bodyOf(patternOf(size)), { ...ABSENT, when });
      assert.deepEqual(put, ok("lost"));
    }
    assert.deepEqual([s3.objects.size, s3.uploads.size], [0, 0]);
  }));

test("put() of a large object that is there sends none of it", () =>
  withTinyS3(async (s3) => {
    const bucket = tinyBucket(s3);
    await bucket.put("a", bodyOf(BYTES), ABSENT);
    s3.requests.length = 0;
    const put = await bucket.put("a", bodyOf(patternOf(9 << 20)), ABSENT);
    assert.deepEqual(put, ok("lost"));
    assert.deepEqual(s3.requests.map(({ method }) => method), ["HEAD"]);
  }));

test("read() takes an object for what it is, even one that looks like a failure", () =>
  withTinyS3(async (s3) => {
    const bucket = tinyBucket(s3);
    const words = String(error(403, "AccessDenied").body);
    await bucket.put("a", bodyOf(new TextEncoder().encode(words)), ABSENT);
    const read = await bucket.read("a", 1_000);
    assert.equal(read.ok && new TextDecoder().decode(read.value?.bytes), words);
  }));

test("removeUnfinished() ends old uploads of every page, and old probes", () =>
  withTinyS3(async (s3) => {
    const bucket = tinyBucket(s3);
    for (let i = 0; i < 5; i++) {
      s3.uploads.set(`u${i}`, { path: `/games/mine/${i}`, headers: {}, parts: [] });
    }
    await bucket.put(".slipway-probe-x", bodyOf(BYTES), ABSENT);
    assert.deepEqual(await bucket.removeUnfinished(Date.UTC(2026, 0, 1)), ok(0));
    assert.deepEqual(await bucket.removeUnfinished(Date.UTC(2026, 0, 2)), ok(6));
    assert.deepEqual([s3.objects.size, s3.uploads.size], [0, 0]);
  }));

/** A document with rules. */
function rules(...list: readonly string[]): string {
  return String(
    document("CORSConfiguration", list.map((rule) => `<CORSRule>${rule}</CORSRule>`).join("")).body,
  );
}

const ANY = "<AllowedOrigin>*</AllowedOrigin>";
const GET = "<AllowedMethod>GET</AllowedMethod>";
const HEAD = "<AllowedMethod>HEAD</AllowedMethod>";
const CORS: readonly [string, string | null, string][] = [
  ["no rules", null, "set"],
  ["rules that are none", rules(), "set"],
  ["an older rule of ours", rules(`<ID>slipway-read</ID>${ANY}${GET}`), "set"],
  ["an open rule", rules(`${ANY}${GET}${HEAD}`), "ready"],
  ["GET and HEAD in two rules", rules(`${ANY}${GET}`, `${ANY}${HEAD}`), "ready"],
  ["GET alone", rules(`${ANY}${GET}`), "unsure"],
  [
    "rules for one origin",
    rules(`<AllowedOrigin>https://a.example</AllowedOrigin>${GET}${HEAD}`),
    "unsure",
  ],
  [
    "an older rule of ours beside another",
    rules(`<ID>slipway-read</ID>${ANY}${GET}`, `<AllowedOrigin>b</AllowedOrigin>${GET}`),
    "unsure",
  ],
  ["rules of another shape", "<html></html>", "unsure"],
];
for (const [what, cors, want] of CORS) {
  test(`allowCrossOrigin() is ${want} with ${what}`, () =>
    withTinyS3(async (s3) => {
      s3.cors = cors;
      const allowed = await tinyBucket(s3).allowCrossOrigin();
      assert.equal(allowed.ok && allowed.value.kind, want);
      if (want !== "set") assert.equal(s3.cors, cors, "left alone");
      else assert.deepEqual(await tinyBucket(s3).allowCrossOrigin(), ok({ kind: "ready" }));
    }));
}

for (const method of ["GET", "PUT"]) {
  for (const code of ["AccessDenied", "NotImplemented"]) {
    test(`allowCrossOrigin() is unsure when ${method} is answered ${code}`, () =>
      withTinyS3(async (s3) => {
        s3.fault = (seen) =>
          seen.method === method
            ? { kind: "answer", ...error(code === "AccessDenied" ? 403 : 501, code) }
            : null;
        const allowed = await tinyBucket(s3).allowCrossOrigin();
        assert.ok(allowed.ok && allowed.value.kind === "unsure");
        assert.match(allowed.value.next, /"AllowedOrigins":\["\*"\].* to the bucket games/);
      }));
  }
}

test("allowCrossOrigin() fails when the store is out of reach", () =>
  withTinyS3(async (s3) => {
    s3.fault = () => ({ kind: "break-before" });
    const allowed = await tinyBucket(s3).allowCrossOrigin();
    assert.equal(allowed.ok ? "" : allowed.error.code, "unreachable");
  }));

test("no request names another object than it was asked for", () =>
  withTinyS3(async (s3) => {
    const bucket = tinyBucket(s3);
    await bucket.put("victim", bodyOf(BYTES), ABSENT);
    for (const key of ["a/../victim", "./victim", "..", "."]) {
      assert.match(
        failureOf(await bucket.remove(key))[1],
        /no URL can hold "\." or "\.\." as a folder/,
      );
    }
    // Whoever may write here only chose these names.
    const path = "/games/mine/.slipway-probe-/../victim";
    s3.objects.set(path, { bytes: BYTES, headers: {} });
    assert.deepEqual(await bucket.removeUnfinished(Date.UTC(2027, 0, 1)), ok(0));
    assert.deepEqual([...s3.objects.keys()], ["/games/mine/victim", path]);
  }));

const PLAIN = "s3://games/mine";
for (
  const [endpoint, identity] of [
    ["https://s3.amazonaws.com", PLAIN],
    ["https://s3.eu-central-1.amazonaws.com/", PLAIN],
    ["https://games.s3.eu-central-1.amazonaws.com", PLAIN],
    ["https://s3-us-west-2.amazonaws.com", PLAIN],
    ["https://s3-accelerate.amazonaws.com", PLAIN],
    ["https://s3.dualstack.us-gov-west-1.amazonaws.com", PLAIN],
    ["https://s3.cn-north-1.amazonaws.com.cn", PLAIN],
    ["http://127.0.0.1:9000", `http://127.0.0.1:9000 ${PLAIN}`],
    ["http://127.0.0.1:9001/", `http://127.0.0.1:9001 ${PLAIN}`],
    ["https://Store.example:443/s3/", `https://store.example/s3 ${PLAIN}`],
    ["https://s3.amazonaws.com.example", `https://s3.amazonaws.com.example ${PLAIN}`],
    // Anybody's own store on Amazon's machines.
    [
      "https://s3-1.eu-west-1.elb.amazonaws.com",
      `https://s3-1.eu-west-1.elb.amazonaws.com ${PLAIN}`,
    ],
  ] as const
) {
  test(`identity of a bucket at ${endpoint} is ${identity}`, () =>
    withTinyS3((s3) => {
      assert.equal(tinyBucket(s3, { endpoint }).identity, identity);
      assert.notEqual(tinyBucket(s3, { endpoint, prefix: "other" }).identity, identity);
      assert.equal(tinyBucket(s3, { endpoint }).label, PLAIN, "messages stay short");
      return Promise.resolve();
    }));
}

// PUB-28. Its manifest would tell that nothing is served, which every phone refuses as malformed.
test("publish() to S3 refuses an empty object where a coded content belongs, and signs nothing", () =>
  withTinyS3((s3) =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      const bucket = tinyBucket(s3);
      const files = { a: "x".repeat(5_000) };
      assert.ok((await world.publish("v1", files, { bucket })).ok);
      const hash = await sha256Hex(new TextEncoder().encode(files.a));
      s3.objects.set(`/games/mine/${contentPath("shell", "v2", hash)}`, {
        bytes: new Uint8Array(),
        headers: { "content-encoding": "gzip", "x-amz-meta-slipway-size": "5000" },
      });
      const refused = await world.publish("v2", files, { bucket });
      assert.ok(!refused.ok, "published");
      assert.match(refused.error.message, /has 0 bytes, expected 5000 bytes/);
      assert.ok(!s3.objects.has("/games/mine/releases/2.json"));
    })
  ));
