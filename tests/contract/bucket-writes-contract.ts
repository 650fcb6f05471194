import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { ok } from "../../lib/core/result.ts";
import type { Bucket, ExpectedBody } from "../../lib/ota-publish/store/bucket.ts";
import {
  bodyOf,
  type Check,
  failingBody,
  MIB,
  namesOf,
  over,
  pattern,
  readText,
  text,
} from "./bucket-world.ts";
import { sha256Hex } from "../../lib/core/sha256.ts";
import { ABSENT } from "../support/store-world.ts";

/** What a bucket promises about reading, writing and copying. */
export function bucketWritesContract(check: Check): void {
  reading(check);
  creating(check);
  replacing(check);
  sending(check);
  copying(check);
}

const KEYS = [
  "plain",
  "a/b/c",
  "a b",
  "a+b",
  "100%",
  "a%20b",
  "~a",
  "ü/é",
  "日本/😀",
  "it's",
  "(a)!*",
  "a&b=c",
  "a#b",
  "a?b",
  "a;b,c@d:e$f",
];

function reading(check: Check): void {
  check("read() and stat() answer null for what is not there", async ({ bucket }) => {
    await bucket.put("a/b", text("x"), ABSENT);
    for (const key of ["nothing", "a/nothing", "nothing/below"]) {
      assert.deepEqual(await bucket.read(key, 10), ok(null), key);
      assert.deepEqual(await bucket.stat(key), ok(null), key);
    }
    assert.deepEqual(await bucket.stat("a"), ok(null), "what is only a folder is no object");
  });

  check("read() bounds what it reads", async ({ bucket }) => {
    await bucket.put("five", text("12345"), ABSENT);
    const exact = await bucket.read("five", 5);
    assert.equal(exact.ok && exact.value?.bytes.length, 5);
    const beyond = await bucket.read("five", 4);
    assert.equal(beyond.ok ? "" : beyond.error.code, "other");
    assert.match(beyond.ok ? "" : beyond.error.message, /"five"/);
  });

  check("read() gives a tag that changes with the content", async ({ bucket }) => {
    await bucket.put("r", text("one"), over(null));
    const first = await readText(bucket, "r");
    assert.equal((await readText(bucket, "r")).tag, first.tag);
    await bucket.put("r", text("two"), over(first.tag));
    const second = await readText(bucket, "r");
    assert.equal(second.text, "two");
    assert.notEqual(second.tag, first.tag);
  });

  check("keys may hold what needs encoding", async ({ bucket }) => {
    for (const key of KEYS) {
      assert.deepEqual(await bucket.put(key, text(key), ABSENT), ok("written"), key);
    }
    for (const key of KEYS) {
      assert.equal((await readText(bucket, key)).text, key);
      const size = new TextEncoder().encode(key).length;
      assert.deepEqual(await bucket.stat(key), ok({ size }), key);
      assert.deepEqual(await bucket.put(key, text("other"), ABSENT), ok("lost"), key);
      assert.deepEqual(await bucket.copy(key, `copy of ${key}`, ABSENT), ok("written"), key);
      assert.equal((await readText(bucket, `copy of ${key}`)).text, key);
    }
    for (const key of KEYS) {
      assert.deepEqual(await bucket.remove(key), ok(null), key);
      assert.deepEqual(await bucket.stat(key), ok(null), key);
    }
  });
}

function creating(check: Check): void {
  check("put() creates an object once", async ({ bucket }) => {
    assert.deepEqual(await bucket.put("a", text("one"), ABSENT), ok("written"));
    assert.deepEqual(await bucket.put("a", text("two"), ABSENT), ok("lost"));
    assert.deepEqual(await bucket.put("a", text("one"), ABSENT), ok("lost"));
    assert.equal((await readText(bucket, "a")).text, "one");
  });

  for (const [writers, size] of [[2, 10], [16, 10], [2, 9 * MIB]] as const) {
    check(
      `put() of ${writers} writers of ${size} bytes at once lets one win`,
      async ({ bucket }) => {
        const bodies = Array.from({ length: writers }, (_, i) => pattern(size, i));
        const ended = await Promise.all(
          bodies.map((bytes) => bucket.put("a", bodyOf(bytes), ABSENT)),
        );
        assert.ok(ended.every(({ ok }) => ok), JSON.stringify(ended));
        const winners = bodies.filter((_, i) => written(ended[i]));
        assert.equal(winners.length, 1, JSON.stringify(ended));
        await assertHolds(bucket, "a", winners[0]);
      },
    );
  }
}

function written(outcome: unknown): boolean {
  return JSON.stringify(outcome) === JSON.stringify(ok("written"));
}

function replacing(check: Check): void {
  check("put() replaces an object only over its own tag", async ({ bucket }) => {
    const elsewhere = await bucket.put("other", text("other"), over(null));
    assert.deepEqual(elsewhere, ok("written"));
    const { tag: foreign } = await readText(bucket, "other");
    assert.deepEqual(await bucket.put("r", text("one"), over(foreign)), ok("lost"));
    assert.deepEqual(await bucket.stat("r"), ok(null));
    assert.deepEqual(await bucket.put("r", text("one"), over(null)), ok("written"));
    assert.deepEqual(await bucket.put("r", text("two"), over(null)), ok("lost"));
    assert.deepEqual(await bucket.put("r", text("two"), over(foreign)), ok("lost"));
    const { tag, text: first } = await readText(bucket, "r");
    assert.equal(first, "one");
    assert.deepEqual(await bucket.put("r", text("two"), over(tag)), ok("written"));
    assert.deepEqual(await bucket.put("r", text("three"), over(tag)), ok("lost"));
    assert.equal((await readText(bucket, "r")).text, "two");
  });

  check("put() of 8 loops that read, change and write loses no change", async ({ bucket }) => {
    const expected: string[] = [];
    const loop = async (name: string) => {
      for (let turn = 0; turn < 3; turn++) {
        expected.push(`${name}${turn}`);
        for (let tries = 0;; tries++) {
          assert.ok(tries < 500, "never gets its turn");
          const there = await bucket.read("r", 10_000);
          assert.ok(there.ok, JSON.stringify(there));
          const words = there.value === null ? "" : new TextDecoder().decode(there.value.bytes);
          const change = text(`${words} ${name}${turn}`);
          const put = await bucket.put("r", change, over(there.value?.tag ?? null));
          assert.ok(put.ok, JSON.stringify(put));
          if (put.value === "written") break;
        }
      }
    };
    await Promise.all([..."abcdefgh"].map(loop));
    const { text: all } = await readText(bucket, "r");
    assert.deepEqual(all.trim().split(" ").sort(), expected.sort());
  });
}

function sending(check: Check): void {
  for (
    const size of [
      0,
      1,
      8 * MIB,
      8 * MIB + 1,
      10 * MIB,
      16 * MIB,
      16 * MIB + 1,
      20 * MIB,
    ]
  ) {
    check(`put() writes ${size} bytes whole`, async ({ bucket }) => {
      const bytes = pattern(size);
      assert.deepEqual(await bucket.put("a", bodyOf(bytes), ABSENT), ok("written"));
      assert.deepEqual(await bucket.stat("a"), ok({ size }));
      await assertHolds(bucket, "a", bytes);
      assert.deepEqual(await bucket.put("a", bodyOf(pattern(size, 1)), ABSENT), ok("lost"));
      if (size < MIB) return;
      const replaced = pattern(size, 2);
      const there = await bucket.read("a", size);
      assert.ok(there.ok && there.value !== null);
      const { tag } = there.value;
      assert.deepEqual(await bucket.put("a", bodyOf(replaced), over(tag)), ok("written"));
      assert.deepEqual(await bucket.put("a", bodyOf(bytes), over(tag)), ok("lost"));
      await assertHolds(bucket, "a", replaced);
    });
  }

  for (const size of [1_000, 8 * MIB, 20 * MIB]) {
    check(`put() of ${size} bytes that fail half-way writes nothing`, async ({ bucket }) => {
      const put = await bucket.put("a", failingBody(size, "the disk is on fire"), ABSENT);
      assert.ok(!put.ok);
      assert.match(put.error.message, /"a".*the disk is on fire/);
      assert.deepEqual(await bucket.stat("a"), ok(null));
      assert.deepEqual(await namesOf(bucket, ""), []);
      assert.deepEqual(await bucket.removeUnfinished(Date.now() + 60_000), ok(0));
    });
  }

  check("put() of a body that does not open writes nothing", async ({ bucket }) => {
    const open = () => Promise.reject(new Error("no such file"));
    for (const size of [10, 20 * MIB]) {
      const put = await bucket.put("a", { size, open }, ABSENT);
      assert.match(put.ok ? "" : put.error.message, /"a".*no such file/);
    }
    assert.deepEqual(await bucket.stat("a"), ok(null));
    assert.deepEqual(await bucket.removeUnfinished(Date.now() + 60_000), ok(0));
  });

  check("put() writes an object under its headers", async ({ bucket, headersOf }) => {
    if (headersOf === undefined) return;
    const { when: _absent, ...immutable } = ABSENT;
    const { when: _over, ...release } = over(null);
    await bucket.put("small", text("x"), ABSENT);
    await bucket.put("large", bodyOf(pattern(9 * MIB)), ABSENT);
    await bucket.put("release", text("x"), over(null));
    assert.deepEqual(await headersOf("small"), immutable);
    assert.deepEqual(await headersOf("large"), immutable);
    assert.deepEqual(await headersOf("release"), release);
  });
}

function copying(check: Check): void {
  // PUB-28
  check("put() and copy() of coded bytes: both sizes are told, read() decodes", async (opened) => {
    const { bucket, headersOf } = opened;
    if (!bucket.keepsHeaders) return;
    const bytes = new TextEncoder().encode("many times the same\n".repeat(500));
    const coded = new Uint8Array(gzipSync(bytes));
    const expected = { ...await expectedOf(coded), decodedSize: bytes.length };
    const facts = { size: bytes.length, served: coded.length };
    const cacheControl = `${ABSENT.cacheControl}, no-transform`;
    assert.deepEqual(await bucket.put("a", expected, { ...ABSENT, cacheControl }), ok("written"));
    const copied = await bucket.copy("a", "b", { ...ABSENT, cacheControl, expected });
    assert.deepEqual(copied, ok("written"));
    for (const key of ["a", "b"]) {
      assert.deepEqual(await bucket.stat(key), ok(facts));
      await assertHolds(bucket, key, bytes);
      assert.equal((await headersOf?.(key))?.cacheControl, cacheControl);
      const tooMany = await bucket.read(key, bytes.length - 1);
      assert.equal(tooMany.ok ? "" : tooMany.error.code, "other");
    }
  });

  for (const size of [0, 10, 9 * MIB]) {
    check(`copy() copies ${size} bytes under the given headers`, async ({ bucket, headersOf }) => {
      const headers = { cacheControl: "public, max-age=60", contentType: "application/zip" };
      const bytes = pattern(size);
      await bucket.put("from", bodyOf(bytes), ABSENT);
      assert.deepEqual(await bucket.copy("from", "deep/er/to", headers), ok("written"));
      await assertHolds(bucket, "deep/er/to", bytes);
      await assertHolds(bucket, "from", bytes);
      if (headersOf !== undefined) assert.deepEqual(await headersOf("deep/er/to"), headers);
    });
  }

  // PUB-27
  for (const size of [10, 9 * MIB]) {
    check(`copy() copies ${size} bytes that are proven, and the copy again`, async ({ bucket }) => {
      const bytes = pattern(size);
      const expected = await expectedOf(bytes);
      await bucket.put("v1", bodyOf(bytes), ABSENT);
      assert.deepEqual(await bucket.copy("v1", "v2", { ...ABSENT, expected }), ok("written"));
      assert.deepEqual(await bucket.copy("v2", "v3", { ...ABSENT, expected }), ok("written"));
      await assertHolds(bucket, "v3", bytes);
    });

    check(`copy() copies none of ${size} bytes that are others`, async ({ bucket }) => {
      await bucket.put("v1", bodyOf(pattern(size, 1)), ABSENT);
      const expected = await expectedOf(pattern(size));
      const copied = await bucket.copy("v1", "v2", { ...ABSENT, expected });
      assert.equal(copied.ok ? "" : copied.error.code, "other");
      assert.deepEqual(await bucket.stat("v2"), ok(null));
    });
  }

  check("copy() leaves what is there, and fails for what is not", async ({ bucket }) => {
    await bucket.put("from", text("one"), ABSENT);
    await bucket.put("there", text("two"), ABSENT);
    assert.deepEqual(await bucket.copy("from", "there", ABSENT), ok("lost"));
    assert.equal((await readText(bucket, "there")).text, "two");
    const missing = await bucket.copy("nothing", "to", ABSENT);
    assert.equal(missing.ok ? "" : missing.error.code, "other");
    assert.deepEqual(await bucket.stat("to"), ok(null));
  });
}

async function expectedOf(bytes: Uint8Array<ArrayBuffer>): Promise<ExpectedBody> {
  return { ...bodyOf(bytes), hash: await sha256Hex(bytes) };
}

/** Whether an object holds these bytes; compared in native code, they may be many. */
async function assertHolds(
  bucket: Bucket,
  key: string,
  bytes: Uint8Array | undefined,
): Promise<void> {
  assert.ok(bytes !== undefined);
  const read = await bucket.read(key, bytes.length);
  assert.ok(
    read.ok && read.value !== null,
    `${key} ${read.ok ? "is missing" : read.error.message}`,
  );
  assert.equal(read.value.bytes.length, bytes.length);
  assert.equal(Buffer.compare(read.value.bytes, bytes), 0, `${key} holds other bytes`);
}
