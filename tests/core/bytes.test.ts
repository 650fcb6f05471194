import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  concatBytes,
  decodeUtf8,
  encodeUtf8,
  isWellFormed,
  readAtMost,
  toHex,
} from "../../lib/core/bytes.ts";
import { keptBytes } from "../support/heap.ts";

interface Source {
  readonly body: ReadableStream<Uint8Array>;
  /** Why the stream was cancelled, if it was. */
  readonly cancelled: unknown[];
}

/** A stream of chunks of these sizes, which then ends, fails or says nothing more. */
function source(sizes: readonly number[], end: "closed" | "hung" | Error = "closed"): Source {
  const queue = sizes.values();
  const cancelled: unknown[] = [];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = queue.next();
      if (!next.done) return controller.enqueue(new Uint8Array(next.value).fill(7));
      if (end === "closed") return controller.close();
      if (end === "hung") return await new Promise<void>(() => {});
      controller.error(end);
    },
    cancel: (reason) => void cancelled.push(reason),
  }, { highWaterMark: 0 });
  return { body, cancelled };
}

for (
  const [name, sizes, max, want] of [
    ["takes nothing", [], 0, 0],
    ["takes exactly the bound", [2, 3], 5, 5],
    ["refuses one byte over the bound", [2, 4], 5, null],
    ["refuses the first byte over a bound of 0", [1], 0, null],
    ["takes empty chunks", [0, 5, 0], 5, 5],
  ] as const
) {
  test(`readAtMost() ${name} and releases the stream`, async () => {
    const { body, cancelled } = source(sizes);
    const read = await readAtMost(body, max);
    assert.equal(read?.length ?? null, want);
    assert.equal(body.locked, false);
    assert.equal(cancelled.length, want === null ? 1 : 0);
  });
}

test("readAtMost() takes as much memory as there are bytes, however small they come", async () => {
  const count = 600_000;
  let left = count;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      for (let n = 0; n < 10_000; n++) controller.enqueue(Uint8Array.of(left-- & 0xff));
      if (left === 0) controller.close();
    },
  }, { highWaterMark: 0 });
  let most = 0;
  let seen = 0;
  const before = keptBytes();
  const read = await readAtMost(body, count, undefined, () => {
    if (++seen % 100_000 === 0) most = Math.max(most, keptBytes() - before);
  });
  assert.deepEqual([read?.length, read?.[0], read?.at(-1)], [count, count & 0xff, 1]);
  assert.ok(most > 0 && most < 32 * 1024 * 1024, `${most} bytes`);
});

test("readAtMost() does not wait for the rest of what is over the bound", async () => {
  assert.equal(await readAtMost(source([6], "hung").body, 5), null);
});

test("readAtMost() throws the reason when a hung stream is aborted, and cancels it", async () => {
  const { body, cancelled } = source([3], "hung");
  const abort = new AbortController();
  const reason = new Error("enough");
  const read = readAtMost(body, 100, abort.signal);
  await Promise.resolve();
  abort.abort(reason);
  await assert.rejects(read, (thrown) => thrown === reason);
  assert.deepEqual(cancelled, [reason]);
  assert.equal(body.locked, false);
});

test("readAtMost() reads nothing under a signal that was aborted before, and cancels", async () => {
  const reason = new Error("too late");
  let pulled = false;
  let cancelled: unknown;
  const body = new ReadableStream<Uint8Array>({
    pull: () => void (pulled = true),
    cancel: (given) => void (cancelled = given),
  }, { highWaterMark: 0 });
  await assert.rejects(
    readAtMost(body, 100, AbortSignal.abort(reason)),
    (thrown) => thrown === reason,
  );
  assert.deepEqual([pulled, cancelled, body.locked], [false, reason, false]);
});

test("readAtMost() throws what the stream failed with and releases it", async () => {
  const broken = new Error("connection reset");
  const { body } = source([3], broken);
  await assert.rejects(readAtMost(body, 100), (thrown) => thrown === broken);
  assert.equal(body.locked, false);
});

test("readAtMost() keeps the order of the chunks, however they are cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 20 })), async (chunks) => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk);
          controller.close();
        },
      });
      const want = chunks.flatMap((chunk) => [...chunk]);
      assert.deepEqual([...await readAtMost(body, want.length) ?? []], want);
      assert.deepEqual([...concatBytes(chunks)], want);
    }),
  );
});

const unit = fc.oneof(
  fc.integer({ min: 0xd800, max: 0xdfff }),
  fc.integer({ min: 0, max: 0xffff }),
).map((code) => String.fromCharCode(code));

test("isWellFormed() agrees with the engine and with what UTF-8 can carry", () => {
  const native = Reflect.get(String.prototype, "isWellFormed");
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
      assert.equal(isWellFormed(text), decodeUtf8(encodeUtf8(text)) === text);
      if (typeof native === "function") {
        assert.equal(isWellFormed(text), Reflect.apply(native, text, []));
      }
    }),
    { numRuns: 1000 },
  );
});

for (
  const [name, text, want] of [
    ["nothing", "", true],
    ["a pair", "\ud83d\ude00", true],
    ["a pair at the very ends of the ranges", "\udbff\udfff", true],
    ["a high half at the end", "a\ud83d", false],
    ["a low half alone", "\ude00a", false],
    ["the halves in the wrong order", "\ude00\ud83d", false],
    ["two high halves", "\ud83d\ud83d\ude00", false],
  ] as const
) {
  test(`isWellFormed() is ${want} for ${name}`, () => assert.equal(isWellFormed(text), want));
}

for (
  const [name, bytes, want] of [
    ["keeps a byte order mark", [0xef, 0xbb, 0xbf, 0x61], "\ufeffa"],
    ["refuses a cut sequence", [0xe2, 0x82], null],
    ["refuses an overlong form", [0xc0, 0x80], null],
    ["refuses an encoded surrogate", [0xed, 0xa0, 0x80], null],
    ["still works after a refusal", [0xe2, 0x82, 0xac], "€"],
  ] as const
) {
  test(`decodeUtf8() ${name}`, () => {
    decodeUtf8(Uint8Array.of(0xe2)); // what was refused before must not linger
    assert.equal(decodeUtf8(Uint8Array.from(bytes)), want);
  });
}

test("toHex() writes two lower-case digits a byte", () => {
  assert.equal(toHex(Uint8Array.of(0, 1, 15, 16, 171, 255)), "00010f10abff");
  assert.equal(toHex(new Uint8Array()), "");
});
