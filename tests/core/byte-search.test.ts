import assert from "node:assert/strict";
import { test } from "node:test";
import { createByteSearch } from "../../lib/core/byte-search.ts";
import { encodeUtf8 } from "../../lib/core/bytes.ts";

const TEXTS = ["npm_", "PRIVATE KEY", "sk_live_"];

for (const text of TEXTS) {
  test(`createByteSearch() finds ${text} anywhere, and no part of it`, () => {
    const finds = createByteSearch(TEXTS);
    for (let before = 0; before < 8; before++) {
      for (let after = 0; after < 4; after++) {
        const around = (found: string) =>
          encodeUtf8("x".repeat(before) + found + "n".repeat(after));
        assert.ok(finds(around(text)), `${before} before, ${after} after`);
        assert.ok(!finds(around(text.slice(0, -1))));
        assert.ok(!finds(around(text.slice(1))));
      }
    }
  });
}

test("createByteSearch() agrees with a search in the text over few letters", () => {
  const texts = ["abab", "baab", "aaaaab"];
  const finds = createByteSearch(texts);
  let seen = 0;
  for (let bits = 0; bits < 1 << 12; bits++) {
    const text = bits.toString(2).padStart(12, "0").replaceAll("0", "a").replaceAll("1", "b");
    const expected = texts.some((one) => text.includes(one));
    assert.equal(finds(encodeUtf8(text)), expected, text);
    if (expected) seen++;
  }
  assert.ok(seen > 100 && seen < 4_000, `${seen}`);
});

test("createByteSearch() refuses a text of less than four bytes", () => {
  assert.throws(() => createByteSearch(["npm"]), RangeError);
});
