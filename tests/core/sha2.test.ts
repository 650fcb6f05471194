import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { toHex } from "../../lib/core/bytes.ts";
import { sha256, sha512 } from "../../lib/core/sha2.ts";
import { runSeed, seededRandom } from "../support/random.ts";

// FIPS 180-4's own examples, then the platform as the second opinion.

const EXAMPLES = [
  [
    "abc",
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
  ],
  [
    "",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
  ],
] as const;

for (const [text, short, long] of EXAMPLES) {
  test(`sha256() and sha512() of ${JSON.stringify(text)}`, () => {
    const bytes = new TextEncoder().encode(text);
    assert.equal(toHex(sha256(bytes)), short);
    assert.equal(toHex(sha512(bytes)), long);
  });
}

for (const [name, ours] of [["sha256", sha256], ["sha512", sha512]] as const) {
  const theirs = (bytes: Uint8Array) => createHash(name).update(bytes).digest("hex");

  test(`${name}() agrees with the platform at every length around its blocks`, () => {
    const seed = runSeed();
    const random = seededRandom(seed);
    for (let length = 0; length <= 300; length++) {
      const bytes = Uint8Array.from({ length }, () => random.below(256));
      assert.equal(toHex(ours(bytes)), theirs(bytes), `SLIPWAY_SEED=${seed}, ${length} bytes`);
    }
  });

  test(`${name}() hashes a part of a larger buffer, and a large one`, () => {
    const bytes = new Uint8Array(100_003).map((_, i) => i * 31);
    assert.equal(toHex(ours(bytes)), theirs(bytes));
    const part = bytes.subarray(7, 1_000);
    assert.equal(toHex(ours(part)), theirs(part));
  });
}
