import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { isSha256Hex, sha256Hex } from "../../lib/core/sha256.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";

const { hashing } = await loadRuntime();

// FIPS 180-4, the examples of NIST.
const VECTORS = [
  ["nothing", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ['"abc"', "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "a million a",
    "a".repeat(1_000_000),
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
  ],
] as const;

for (const [name, text, want] of VECTORS) {
  test(`sha256Hex() hashes ${name}`, async () => {
    assert.equal(await sha256Hex(encodeUtf8(text)), want);
  });
  test(`Hashing.createSha256() hashes ${name} fed in pieces`, () => {
    const hash = hashing.createSha256();
    const bytes = encodeUtf8(text);
    for (let at = 0; at < bytes.length; at += 60_001) {
      hash.update(bytes.subarray(at, at + 60_001));
    }
    assert.equal(hash.hex(), want);
  });
}

for (
  const [name, text, want] of [
    ["nothing", "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"],
    ['"abc"', "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"],
    ["a million a", "a".repeat(1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"],
  ] as const
) {
  test(`Hashing.createSha1() hashes ${name} fed in pieces`, () => {
    const hash = hashing.createSha1();
    const bytes = encodeUtf8(text);
    for (let at = 0; at < bytes.length; at += 60_001) {
      hash.update(bytes.subarray(at, at + 60_001));
    }
    assert.equal(hash.hex(), want);
  });
}

test("sha256Hex() hashes where the page is no secure context, so without WebCrypto", async () => {
  Object.defineProperty(globalThis.crypto, "subtle", { value: undefined, configurable: true });
  try {
    assert.equal(globalThis.crypto.subtle, undefined);
    const [, text, want] = VECTORS[1];
    assert.equal(await sha256Hex(encodeUtf8(text)), want);
  } finally {
    Reflect.deleteProperty(globalThis.crypto, "subtle");
  }
  assert.notEqual(globalThis.crypto.subtle, undefined);
});

test("running hashes equal the hash of the whole, however the bytes are cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 150 })), async (chunks) => {
      const complete = Uint8Array.from(chunks.flatMap((chunk) => [...chunk]));
      const want = await sha256Hex(complete);
      const hash = hashing.createSha256();
      for (const chunk of chunks) hash.update(chunk);
      assert.equal(hash.hex(), want);
    }),
  );
});

const HASH = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
for (
  const [name, text, want] of [
    ["64 lower-case digits", HASH, true],
    ["upper case", HASH.toUpperCase(), false],
    ["63 digits", HASH.slice(1), false],
    ["65 digits", `${HASH}0`, false],
    ["a line break at the end", `${HASH}\n`, false],
    ["a letter past f", `g${HASH.slice(1)}`, false],
    ["nothing", "", false],
  ] as const
) {
  test(`isSha256Hex() is ${want} for ${name}`, () => assert.equal(isSha256Hex(text), want));
}
