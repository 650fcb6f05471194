import assert from "node:assert/strict";
import { test } from "node:test";
import { fail, ok } from "../../lib/core/result.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { ABSENT, bodyOf, createTestClock } from "../support/store-world.ts";
import { type Fault, type Seen, tinyBucket, withTinyGcs, WORD } from "./gcs-server.ts";

const BYTES = new TextEncoder().encode("{}");

async function keysOf(bucket: Bucket, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const object of bucket.objects(prefix)) {
    assert.ok(object.ok);
    keys.push(object.value.key);
  }
  return keys;
}

/** The code and the words of a failure. */
function failureOf(result: Awaited<ReturnType<Bucket["stat"]>>): [string, string] {
  return result.ok
    ? ["", ""]
    : [result.error.code, `${result.error.message}; ${result.error.next}`];
}

test("list() and objects() read every page, each name once, and no probe", () =>
  withTinyGcs(async (gcs) => {
    const bucket = tinyBucket(gcs);
    const keys = ["a", "b", "c/d", "c/e", "f", "g", "h/i/j"];
    for (const key of [...keys, ".slipway-probe-x", "c/.slipway-probe-y"]) {
      await bucket.put(key, bodyOf(BYTES), ABSENT);
    }
    const [, , , , mark] = [...gcs.objects.values()];
    if (mark !== undefined) gcs.objects.set("mine/c/", mark).set("minefield", mark);
    gcs.requests.length = 0;
    assert.deepEqual(await bucket.list(""), ok(["c", "h", "a", "b", "f", "g"]));
    assert.equal(gcs.requests.length, 3);
    assert.deepEqual(await bucket.list("c"), ok(["d", "e"]));
    assert.deepEqual(await bucket.list("nothing"), ok([]));
    assert.deepEqual(await keysOf(bucket, ""), keys);
    assert.deepEqual(await keysOf(bucket, "h"), ["h/i/j"]);
    assert.deepEqual(await keysOf(tinyBucket(gcs, { prefix: "" }), "mine/h"), ["mine/h/i/j"]);
  }));

test("objects() tells size and time, and ends with the first failure", () =>
  withTinyGcs(async (gcs) => {
    const bucket = tinyBucket(gcs);
    for (const key of ["a", "b", "c"]) await bucket.put(key, bodyOf(BYTES), ABSENT);
    const generation = gcs.objects.get("mine/a")?.generation ?? 0;
    gcs.fault = ({ query }) => query.has("pageToken") ? { kind: "status", status: 403 } : null;
    const found = [];
    for await (const object of bucket.objects("")) found.push(object);
    assert.deepEqual(found[0], ok({ key: "a", size: 2, modified: Math.floor(generation / 1_000) }));
    assert.deepEqual(found.map((object) => object.ok), [true, true, false]);
  }));

test("removeUnfinished() removes old probes and nothing else", () =>
  withTinyGcs(async (gcs) => {
    const bucket = tinyBucket(gcs);
    for (const key of [".slipway-probe-1", ".slipway-probe-2", ".slipway-probe-3", "a"]) {
      await bucket.put(key, bodyOf(BYTES), ABSENT);
    }
    const third = gcs.objects.get("mine/.slipway-probe-3");
    assert.ok(third);
    gcs.objects.set("mine/.slipway-probe-3", { ...third, generation: 1_900_000_000_000_000 });
    assert.deepEqual(await bucket.removeUnfinished(1_800_000_000_000), ok(2));
    assert.deepEqual([...gcs.objects.keys()], ["mine/.slipway-probe-3", "mine/a"]);
  }));

test("proveConditions() passes an honest store, and removes nothing", () =>
  withTinyGcs(async (gcs) => {
    for (let publish = 0; publish < 3; publish++) {
      assert.deepEqual(await tinyBucket(gcs).proveConditions(), ok(null));
      assert.deepEqual([...gcs.objects.keys()], ["mine/.slipway-probe"]);
    }
    assert.ok(gcs.requests.every(({ method }) => method !== "DELETE"));
  }));

for (
  const [what, ignores, named] of [
    [
      "absent",
      ({ query }: Seen) => query.get("ifGenerationMatch") === "0",
      /ignores ifGenerationMatch=0,/,
    ],
    [
      "unchanged",
      ({ query }: Seen) => !["0", null].includes(query.get("ifGenerationMatch")),
      /ignores ifGenerationMatch with an older generation/,
    ],
  ] as const
) {
  test(`proveConditions() finds out a store that ignores the condition ${what}`, () =>
    withTinyGcs(async (gcs) => {
      gcs.fault = (seen) => ignores(seen) ? { kind: "ignore-conditions" } : null;
      const proven = await tinyBucket(gcs).proveConditions();
      assert.equal(proven.ok ? "" : proven.error.code, "unsupported");
      assert.match(proven.ok ? "" : proven.error.message, named);
      assert.deepEqual([...gcs.objects.keys()], ["mine/.slipway-probe"]);
    }));
}

for (const status of [408, 429, 500, 503]) {
  test(`a call goes on after two answers of HTTP ${status}, with growing waits`, () =>
    withTinyGcs(async (gcs) => {
      const clock = createTestClock();
      gcs.fault = () => gcs.requests.length <= 2 ? { kind: "status", status } : null;
      assert.deepEqual(
        await tinyBucket(gcs, { clock }).put("a", bodyOf(BYTES), ABSENT),
        ok("written"),
      );
      assert.equal(clock.waits.length, 2);
      const [first = 0, second = 0] = clock.waits;
      const base = status === 429 ? 1_000 : 500;
      assert.ok(first >= base / 2 && first <= 1.5 * base, `${first}`);
      assert.ok(second >= base && second <= 3 * base, `${second}`);
    }));
}

const ANSWERS: readonly [string, Fault, string, RegExp, number][] = [
  ["503 for good", { kind: "status", status: 503 }, "unreachable", /HTTP 503/, 5],
  ["429 for good", { kind: "status", status: 429 }, "unreachable", /HTTP 429.*Try again later/, 9],
  [
    "a broken connection for good",
    { kind: "break-before" },
    "unreachable",
    /Cannot look at "a"/,
    5,
  ],
  ["501", { kind: "status", status: 501 }, "other", /HTTP 501/, 1],
  [
    "a redirect",
    { kind: "status", status: 302, headers: { location: "/elsewhere" } },
    "other",
    /HTTP 302/,
    1,
  ],
  [
    "403",
    { kind: "status", status: 403, body: '{"error":{"message":"no storage.objects.get"}}' },
    "denied",
    /no storage\.objects\.get.* to the test; Grant .*objectUser on the bucket games/,
    1,
  ],
  ["401", { kind: "status", status: 401 }, "denied", /HTTP 401 to the test; Run gcloud auth/, 2],
  ["a page for people", { kind: "status", status: 200, body: "<html>" }, "other", /no object/, 1],
  ["another shape", { kind: "status", status: 200, body: '{"name":1}' }, "other", /no object/, 1],
  [
    "endless JSON",
    { kind: "status", status: 200, body: `{"name":"${"x".repeat(5 * 1024 * 1024)}"}` },
    "other",
    /more than 4194304 bytes/,
    1,
  ],
];
for (const [what, fault, code, words, tries] of ANSWERS) {
  test(`a call fails as ${code} on ${what}`, () =>
    withTinyGcs(async (gcs) => {
      gcs.fault = () => fault;
      const [found, message] = failureOf(await tinyBucket(gcs).stat("a"));
      assert.equal(found, code);
      assert.match(message, words);
      assert.doesNotMatch(message, /secret-word/);
      // Deno's fetch sends a request again by itself when the connection breaks.
      const most = fault.kind === "break-before" ? tries * 2 : tries;
      assert.ok(gcs.requests.length >= tries && gcs.requests.length <= most);
    }));
}

test("a call to a server that is gone fails as unreachable", async () => {
  let gone = "";
  await withTinyGcs((gcs) => Promise.resolve(void (gone = gcs.url)));
  const clock = createTestClock();
  await withTinyGcs(async (gcs) => {
    const [code, message] = failureOf(await tinyBucket(gcs, { endpoint: gone, clock }).stat("a"));
    assert.equal(code, "unreachable");
    assert.ok(message.includes(gone));
    assert.equal(clock.waits.length, 4);
  });
});

test("a call that is never answered ends with its deadline", () =>
  withTinyGcs(async (gcs) => {
    const clock = createTestClock();
    gcs.fault = () => {
      setTimeout(clock.expire, 1);
      return { kind: "hang" };
    };
    const [code, message] = failureOf(await tinyBucket(gcs, { clock, deadlineMs: 1234 }).stat("a"));
    assert.equal(code, "unreachable");
    assert.match(message, /no answer within \d+ ms/);
    assert.equal(gcs.requests.length, 5);
  }));

test("a call that is given up makes no other try", () =>
  withTinyGcs(async (gcs) => {
    const abort = new AbortController();
    gcs.fault = () => {
      abort.abort(new Error("enough"));
      return { kind: "hang" };
    };
    const bucket = tinyBucket(gcs, { signal: abort.signal });
    assert.match(failureOf(await bucket.stat("a"))[1], /cancelled: enough/);
    assert.match(failureOf(await bucket.stat("a"))[1], /cancelled: enough/);
    assert.equal(gcs.requests.length, 1);
  }));

test("a refused token is replaced once", () =>
  withTinyGcs(async (gcs) => {
    let token = "old";
    const forgotten: string[] = [];
    const credentials = {
      label: "the test",
      token: () => Promise.resolve(ok(token)),
      forget(refused: string) {
        forgotten.push(refused);
        token = "new";
      },
    };
    gcs.fault = ({ headers }) =>
      headers.authorization === "Bearer new" ? null : { kind: "status", status: 401 };
    assert.deepEqual(await tinyBucket(gcs, { credentials }).stat("a"), ok(null));
    assert.deepEqual(forgotten, ["old"]);
  }));

test("a token that cannot be had is the failure", () =>
  withTinyGcs(async (gcs) => {
    const credentials = { ...WORD, token: () => Promise.resolve(fail("denied", "expired login")) };
    assert.deepEqual(failureOf(await tinyBucket(gcs, { credentials }).stat("a")), [
      "denied",
      "expired login; undefined",
    ]);
    assert.equal(gcs.requests.length, 0);
  }));

test("read() gives bytes and generation, bounded", () =>
  withTinyGcs(async (gcs) => {
    const bucket = tinyBucket(gcs);
    await bucket.put("a", bodyOf(BYTES), ABSENT);
    const read = await bucket.read("a", BYTES.length);
    assert.deepEqual(read.ok && read.value && [...read.value.bytes], [...BYTES]);
    assert.equal(read.ok && read.value?.tag, String(gcs.objects.get("mine/a")?.generation));
    const short = await bucket.read("a", BYTES.length - 1);
    assert.equal(short.ok ? "" : short.error.code, "other");
    gcs.fault = () => ({ kind: "status", status: 200, body: "{}" });
    const untold = await bucket.read("a", BYTES.length);
    assert.match(untold.ok ? "" : untold.error.message, /no generation/);
  }));

for (const length of [100, 100_000]) {
  test(`read() of nothing is null, though the store uses ${length} bytes to say so`, () =>
    withTinyGcs(async (gcs) => {
      gcs.fault = () => ({ kind: "status", status: 404, body: "x".repeat(length) });
      assert.deepEqual(await tinyBucket(gcs).read("a", 1), ok(null));
    }));
}

test("list() ends when the store gives the same page again", () =>
  withTinyGcs(async (gcs) => {
    gcs.fault = () => ({ kind: "status", status: 200, body: '{"nextPageToken":"1"}' });
    const listed = await tinyBucket(gcs).list("");
    assert.match(listed.ok ? "" : listed.error.message, /the same page again/);
    assert.equal(gcs.requests.length, 2);
  }));

test("list() takes no names from outside its folder", () =>
  withTinyGcs(async (gcs) => {
    gcs.fault = () => ({ kind: "status", status: 200, body: '{"prefixes":["other/x/"]}' });
    const listed = await tinyBucket(gcs).list("");
    assert.equal(listed.ok ? "" : listed.error.code, "other");
  }));

const OPEN = { origin: ["*"], method: ["GET", "HEAD"] };
const CORS: readonly [string, unknown, string, Fault | null][] = [
  ["no rules", undefined, "set", null],
  ["an empty list", [], "set", null],
  ["an open rule", [OPEN], "ready", null],
  ["an open rule among others", [{ origin: ["https://a.example"] }, OPEN], "ready", null],
  [
    "GET and HEAD in two rules",
    [{ ...OPEN, method: ["GET"] }, { ...OPEN, method: ["*"] }],
    "ready",
    null,
  ],
  ["rules for one origin", [{ ...OPEN, origin: ["https://a.example"] }], "unsure", null],
  ["GET alone", [{ ...OPEN, method: ["GET"] }], "unsure", null],
  ["settings nobody may see", undefined, "unsure", { kind: "status", status: 403 }],
  ["settings of another shape", undefined, "unsure", { kind: "status", status: 200, body: "[]" }],
  ["no such call", undefined, "unsure", { kind: "status", status: 501 }],
];
for (const [what, cors, want, fault] of CORS) {
  test(`allowCrossOrigin() is ${want} with ${what}`, () =>
    withTinyGcs(async (gcs) => {
      gcs.cors = cors;
      gcs.fault = () => fault;
      const allowed = await tinyBucket(gcs).allowCrossOrigin();
      assert.equal(allowed.ok && allowed.value.kind, want);
      if (want !== "set") assert.equal(gcs.cors, cors, "left alone");
      else assert.deepEqual(await tinyBucket(gcs).allowCrossOrigin(), ok({ kind: "ready" }));
    }));
}

for (const status of [200, 403, 412]) {
  test(`allowCrossOrigin() is unsure when setting rules answers ${status} and sets none`, () =>
    withTinyGcs(async (gcs) => {
      const body = '{"metageneration":"7"}'; // as fake-gcs-server does, which keeps no rules
      gcs.fault = ({ method }) => method === "PATCH" ? { kind: "status", status, body } : null;
      const allowed = await tinyBucket(gcs).allowCrossOrigin();
      assert.equal(allowed.ok && allowed.value.kind, "unsure");
    }));
}

test("allowCrossOrigin() fails when the store is out of reach", () =>
  withTinyGcs(async (gcs) => {
    gcs.fault = () => ({ kind: "break-before" });
    const allowed = await tinyBucket(gcs).allowCrossOrigin();
    assert.equal(allowed.ok ? "" : allowed.error.code, "unreachable");
  }));

const PLAIN = "gs://games/mine";
for (
  const [endpoint, identity] of [
    ["https://storage.googleapis.com/", PLAIN],
    ["https://storage.europe-west3.rep.googleapis.com", PLAIN],
    ["http://127.0.0.1:4443", `http://127.0.0.1:4443 ${PLAIN}`],
    ["http://127.0.0.1:4444/", `http://127.0.0.1:4444 ${PLAIN}`],
    ["https://googleapis.com.example", `https://googleapis.com.example ${PLAIN}`],
  ] as const
) {
  test(`identity of a bucket at ${endpoint} is ${identity}`, () =>
    withTinyGcs((gcs) => {
      assert.equal(tinyBucket(gcs, { endpoint }).identity, identity);
      assert.notEqual(tinyBucket(gcs, { endpoint, prefix: "other" }).identity, identity);
      assert.equal(tinyBucket(gcs, { endpoint }).label, PLAIN, "messages stay short");
      return Promise.resolve();
    }));
}
