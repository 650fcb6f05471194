import assert from "node:assert/strict";
import { test } from "node:test";
import { createCrc32c } from "../../lib/ota-publish/gcs/crc32c.ts";
import type { Bucket, PutOptions } from "../../lib/ota-publish/store/bucket.ts";
import { ABSENT, bodyOf, createTestClock, patternOf } from "../support/store-world.ts";
import { type Fault, type Seen, tinyBucket, type TinyGcs, withTinyGcs } from "./gcs-server.ts";

const MIB = 1024 * 1024;
const SMALL = patternOf(1_000);
const LARGE = patternOf(20 * MIB + 17);
const WRITTEN = { ok: true, value: "written" };
const LOST = { ok: true, value: "lost" };

/** The n-th request that fits gets the fault. */
function nth(n: number, fits: (seen: Seen) => boolean, fault: Fault): TinyGcs["fault"] {
  let count = 0;
  return (seen) => fits(seen) && ++count === n ? fault : null;
}

const isWrite = ({ query }: Seen) => query.get("uploadType") === "multipart";
const isChunk = ({ method, query, body }: Seen) =>
  method === "PUT" && query.has("session") && body.length > 0;
const isQuestion = ({ method, query, body }: Seen) =>
  method === "PUT" && query.has("session") && body.length === 0;
const isCopy = ({ path }: Seen) => path.includes("/rewriteTo/");

function bytesOf(gcs: TinyGcs, name: string): Uint8Array {
  return gcs.objects.get(name)?.bytes ?? new Uint8Array();
}

function assertWhole(gcs: TinyGcs, name: string, want: Uint8Array): void {
  assert.equal(Buffer.compare(bytesOf(gcs, name), want), 0, `${name} is not whole`);
}

test("put() writes up to 8 MiB in one request, with condition and headers in it", () =>
  withTinyGcs(async (gcs) => {
    const body = patternOf(8 * MIB);
    assert.deepEqual(await tinyBucket(gcs).put("a/b", bodyOf(body), ABSENT), WRITTEN);
    assert.equal(gcs.requests.length, 1);
    const [request] = gcs.requests;
    assert.equal(request?.query.get("ifGenerationMatch"), "0");
    assert.equal(request?.headers.authorization, "Bearer secret-word");
    const stored = gcs.objects.get("mine/a/b");
    assert.equal(stored?.metadata["cacheControl"], ABSENT.cacheControl);
    assert.equal(stored?.metadata["contentType"], ABSENT.contentType);
    assertWhole(gcs, "mine/a/b", body);
  }));

test("put() writes more than 8 MiB in chunks of 8 MiB, without the token", () =>
  withTinyGcs(async (gcs) => {
    assert.deepEqual(await tinyBucket(gcs).put("big", bodyOf(LARGE), ABSENT), WRITTEN);
    const [open, ...chunks] = gcs.requests;
    assert.equal(open?.query.get("ifGenerationMatch"), "0");
    assert.deepEqual(chunks.map(({ headers }) => headers["content-range"]), [
      `bytes 0-${8 * MIB - 1}/${LARGE.length}`,
      `bytes ${8 * MIB}-${16 * MIB - 1}/${LARGE.length}`,
      `bytes ${16 * MIB}-${LARGE.length - 1}/${LARGE.length}`,
    ]);
    assert.ok(chunks.every(({ headers }) => headers.authorization === undefined));
    assert.equal(gcs.objects.get("mine/big")?.metadata["cacheControl"], ABSENT.cacheControl);
    assertWhole(gcs, "mine/big", LARGE);
  }));

test("put() reads no further ahead than one chunk", () =>
  withTinyGcs(async (gcs) => {
    let pulled = 0;
    const ahead: number[] = [];
    gcs.fault = (seen) => {
      if (isChunk(seen)) {
        ahead.push(pulled - Number(/\d+/.exec(seen.headers["content-range"] ?? "")));
      }
      return null;
    };
    const { size, open } = bodyOf(LARGE);
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        pulled += chunk.length;
        controller.enqueue(chunk);
      },
    });
    const body = { size, open: async () => (await open()).pipeThrough(counting) };
    assert.deepEqual(await tinyBucket(gcs).put("big", body, ABSENT), WRITTEN);
    assert.equal(ahead.length, 3);
    for (const bytes of ahead) assert.ok(bytes <= 8 * MIB + 300_009, `${bytes} bytes ahead`);
  }));

test("put() waits while the store has no time for a chunk (PUB-34)", () =>
  withTinyGcs(async (gcs) => {
    let busy = 7; // more than what may fail
    gcs.fault = (seen) => isChunk(seen) && busy-- > 0 ? { kind: "status", status: 429 } : null;
    assert.deepEqual(await tinyBucket(gcs).put("big", bodyOf(LARGE), ABSENT), WRITTEN);
    assertWhole(gcs, "mine/big", LARGE);
    assert.equal(gcs.requests.filter(({ query }) => query.has("uploadType")).length, 1);
  }));

test("put() gives a chunk up that no wait helps (PUB-34)", () =>
  withTinyGcs(async (gcs) => {
    gcs.fault = (seen) => isChunk(seen) ? { kind: "status", status: 429 } : null;
    const put = await tinyBucket(gcs).put("big", bodyOf(LARGE), ABSENT);
    assert.match(put.ok ? "" : put.error.message, /429/);
    assert.ok(gcs.requests.filter(isChunk).length <= 9);
  }));

/** Writes that a condition can refuse. */
const WRITES: readonly [
  string,
  (bucket: Bucket) => Promise<unknown>,
  (seen: Seen) => boolean,
][] = [
  ["a small object", (bucket) => bucket.put("it", bodyOf(SMALL), ABSENT), isWrite],
  [
    "a large object",
    (bucket) => bucket.put("it", bodyOf(LARGE), ABSENT),
    (seen) =>
      isChunk(seen) && (seen.headers["content-range"] ?? "").includes(`-${LARGE.length - 1}/`),
  ],
  ["a copy", (bucket) => bucket.copy("from", "it", ABSENT), isCopy],
];

for (const [what, write, fits] of WRITES) {
  // Deno's fetch sends a request again by itself when the connection breaks; a status it hands on.
  for (const fault of [{ kind: "break-after" }, { kind: "status-after", status: 502 }] as const) {
    test(`${what} that was written, its answer lost (${fault.kind}), is written`, () =>
      withTinyGcs(async (gcs) => {
        const bucket = tinyBucket(gcs);
        await bucket.put("from", bodyOf(SMALL), ABSENT);
        gcs.fault = nth(1, fits, fault);
        assert.deepEqual(await write(bucket), WRITTEN);
        assert.equal(gcs.objects.size, 2);
        assertWhole(gcs, "mine/it", what === "a large object" ? LARGE : SMALL);
      }));
  }

  test(`${what} that another wrote first, while an answer was lost, is lost`, () =>
    withTinyGcs(async (gcs) => {
      const bucket = tinyBucket(gcs);
      await bucket.put("from", bodyOf(SMALL), ABSENT);
      let broken = 0;
      gcs.fault = (seen) => {
        if (!fits(seen) || ++broken > 1) return null;
        gcs.objects.set("mine/it", { bytes: new Uint8Array([9]), generation: 5, metadata: {} });
        return { kind: "break-before" };
      };
      assert.deepEqual(await write(bucket), LOST);
      assert.deepEqual([...bytesOf(gcs, "mine/it")], [9]);
    }));

  test(`${what} is lost where one is`, () =>
    withTinyGcs(async (gcs) => {
      const bucket = tinyBucket(gcs);
      await bucket.put("from", bodyOf(SMALL), ABSENT);
      await bucket.put("it", bodyOf(new Uint8Array([9])), ABSENT);
      assert.deepEqual(await write(bucket), LOST);
      assert.deepEqual([...bytesOf(gcs, "mine/it")], [9]);
    }));
}

test("put() over an unchanged object whose answer was lost is written", () =>
  withTinyGcs(async (gcs) => {
    const bucket = tinyBucket(gcs);
    await bucket.put("release.json", bodyOf(SMALL), ABSENT);
    const tag = String(gcs.objects.get("mine/release.json")?.generation);
    const over: PutOptions = { ...ABSENT, when: { kind: "unchanged", tag } };
    gcs.fault = nth(1, isWrite, { kind: "break-after" });
    assert.deepEqual(await bucket.put("release.json", bodyOf(new Uint8Array([1])), over), WRITTEN);
    assert.deepEqual(await bucket.put("release.json", bodyOf(new Uint8Array([2])), over), LOST);
    assert.deepEqual([...bytesOf(gcs, "mine/release.json")], [1]);
  }));

/** With how many chunks an upload of three arrives. Deno's fetch may send a broken one again. */
const CHUNK_FAULTS: readonly [string, TinyGcs["fault"], number, number?][] = [
  ["kept in part", nth(2, isChunk, { kind: "keep", bytes: 3 * 256 * 1024 }), 4],
  ["not kept at all", nth(1, isChunk, { kind: "keep", bytes: 0 }), 4],
  ["broken off before it was kept", nth(2, isChunk, { kind: "break-before" }), 4, 5],
  ["kept, its answer lost", nth(2, isChunk, { kind: "break-after" }), 3, 4],
  ["kept, and answered with 500", nth(2, isChunk, { kind: "status-after", status: 500 }), 3],
  ["answered with 503", nth(1, isChunk, { kind: "status", status: 503 }), 4],
  ["whose upload forgot an earlier one", nth(2, isChunk, { kind: "forget", bytes: 256 * 1024 }), 5],
  ["of a lost upload", nth(2, isChunk, { kind: "status", status: 404 }), 5],
  ["of an upload that is gone", nth(3, isChunk, { kind: "status", status: 410 }), 6],
];
for (const [what, fault, least, most = least] of CHUNK_FAULTS) {
  test(`put() goes on after a chunk ${what}`, () =>
    withTinyGcs(async (gcs) => {
      gcs.fault = fault;
      assert.deepEqual(await tinyBucket(gcs).put("big", bodyOf(LARGE), ABSENT), WRITTEN);
      const sent = gcs.requests.filter(isChunk).length;
      assert.ok(sent >= least && sent <= most, `${sent} chunks`);
      assertWhole(gcs, "mine/big", LARGE);
    }));
}

test("put() asks an upload for its offset, also when the question is not answered at first", () =>
  withTinyGcs(async (gcs) => {
    const chunk = nth(2, isChunk, { kind: "status-after", status: 500 });
    const question = nth(1, isQuestion, { kind: "status", status: 500 });
    gcs.fault = (seen) => chunk(seen) ?? question(seen);
    assert.deepEqual(await tinyBucket(gcs).put("big", bodyOf(LARGE), ABSENT), WRITTEN);
    const asked = gcs.requests.filter(isQuestion);
    assert.deepEqual(asked.map(({ headers }) => headers["content-range"]), [
      `bytes */${LARGE.length}`,
      `bytes */${LARGE.length}`,
    ]);
    assertWhole(gcs, "mine/big", LARGE);
  }));

test("put() gives up a store that keeps nothing, or loses every upload", () =>
  withTinyGcs(async (gcs) => {
    for (
      const fault of [
        { kind: "keep", bytes: 0 },
        { kind: "status", status: 404 },
        { kind: "status", status: 503 },
        { kind: "break-before" },
      ] as const
    ) {
      gcs.fault = (seen) => isChunk(seen) ? fault : null;
      const put = await tinyBucket(gcs).put("big", bodyOf(LARGE), ABSENT);
      assert.equal(put.ok ? "" : put.error.code, "unreachable", JSON.stringify(fault));
    }
    assert.equal(gcs.objects.size, 0);
    assert.equal(gcs.sessions.size, 0, "no upload is left behind");
  }));

for (const size of [SMALL.length, LARGE.length]) {
  for (
    const [what, change] of [
      ["fails", (at: number) => at > size / 2 ? "the disk is on fire" : null],
      ["is too short", (at: number) => at >= size - 1 ? "end" : null],
      ["is too long", () => null],
    ] as const
  ) {
    test(`put() writes nothing of a body of ${size} bytes that ${what}`, () =>
      withTinyGcs(async (gcs) => {
        let closed = 0;
        const body = {
          size,
          open() {
            let at = 0;
            return Promise.resolve(
              new ReadableStream<Uint8Array>({
                pull(controller) {
                  const ending = change(at);
                  if (ending === "end") return controller.close();
                  if (ending !== null) return controller.error(new Error(ending));
                  const bytes = new Uint8Array(at < size - 1 ? Math.min(99_991, size - 1 - at) : 1);
                  at += bytes.length;
                  controller.enqueue(bytes);
                },
                cancel: () => void closed++,
              }),
            );
          },
        };
        const put = await tinyBucket(gcs).put("it", body, ABSENT);
        assert.equal(put.ok ? "" : put.error.code, "other");
        assert.match(put.ok ? "" : put.error.message, /on fire|bytes, expected/);
        assert.equal(gcs.objects.size, 0);
        assert.equal(gcs.sessions.size, 0);
        assert.equal(closed, what === "is too long" ? 1 : 0);
      }));
  }
}

test("put() ends when it is given up, and leaves no upload", () =>
  withTinyGcs(async (gcs) => {
    const abort = new AbortController();
    gcs.fault = (seen) => {
      if (!isChunk(seen)) return null;
      abort.abort(new Error("enough"));
      return { kind: "hang" };
    };
    const bucket = tinyBucket(gcs, { signal: abort.signal });
    const put = await bucket.put("big", bodyOf(LARGE), ABSENT);
    assert.match(put.ok ? "" : put.error.message, /cancelled: enough$/);
    assert.equal(gcs.sessions.size, 0);
    assert.deepEqual(gcs.requests.filter(isChunk).length, 1);
  }));

test("put() of nothing writes an empty object", () =>
  withTinyGcs(async (gcs) => {
    assert.deepEqual(await tinyBucket(gcs).put("none", bodyOf(new Uint8Array()), ABSENT), WRITTEN);
    assert.equal(gcs.objects.get("mine/none")?.bytes.length, 0);
  }));

// PUB-27
test("createCrc32c() sums as RFC 3720 does, whatever the pieces", () => {
  const bytes = new TextEncoder().encode("123456789");
  for (const cut of [0, 1, 4, 5, 9]) {
    const crc = createCrc32c();
    crc.update(bytes.subarray(0, cut));
    crc.update(bytes.subarray(cut));
    assert.equal(crc.base64(), "4waSgw==");
  }
});

test("put() removes a large object that the store has another sum of", () =>
  withTinyGcs(async (gcs) => {
    gcs.fault = ({ query, headers, body }) => {
      if (query.has("session") && headers["content-range"]?.startsWith("bytes 0-")) {
        body.fill(255, 5, 50);
      }
      return null;
    };
    const put = await tinyBucket(gcs).put("a", bodyOf(patternOf(9 << 20)), ABSENT);
    assert.match(put.ok ? "" : put.error.message, /CRC-32C .*, expected/);
    assert.equal(gcs.objects.size, 0);
  }));

test("copy() goes on until the store is done, under the new headers", () =>
  withTinyGcs(async (gcs) => {
    const bucket = tinyBucket(gcs, { clock: createTestClock() });
    await bucket.put("from", bodyOf(patternOf(5_000)), { ...ABSENT, cacheControl: "old" });
    assert.deepEqual(await bucket.copy("from", "a/to", ABSENT), WRITTEN);
    assert.equal(gcs.requests.filter(isCopy).length, 2);
    assertWhole(gcs, "mine/a/to", patternOf(5_000));
    assert.equal(gcs.objects.get("mine/a/to")?.metadata["cacheControl"], ABSENT.cacheControl);
    assert.equal((await bucket.copy("nothing", "b", ABSENT)).ok, false);
  }));
