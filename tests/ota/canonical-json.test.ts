import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "../../lib/core/json.ts";
import { canonicalJson, parseStrictJson } from "../../lib/ota-format/canonical-json.ts";

const text = fc.string({ unit: "grapheme" });
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger().map((n) => n === 0 ? 0 : n),
    text,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text.filter((key) => key !== "__proto__"), tie("value"), { maxKeys: 4 })
      .map((record) => ({ ...record })),
  ),
}));

test("canonicalJson() is read back as the same value, and written the same again", () => {
  fc.assert(fc.property(value, (original) => {
    const written = canonicalJson(original);
    const read = parseStrictJson(written);
    assert.ok(read.ok);
    assert.deepEqual(read.value, original);
    assert.equal(canonicalJson(read.value), written);
    assert.deepEqual(JSON.parse(written), original);
  }));
});

test("parseStrictJson() takes nothing that JSON.parse refuses", () => {
  fc.assert(fc.property(fc.oneof(fc.json(), fc.string({ maxLength: 12 })), (candidate) => {
    const read = parseStrictJson(candidate);
    if (read.ok) assert.deepEqual(read.value, JSON.parse(candidate));
  }));
});

for (
  const [what, bad] of [
    ["a fraction", 1.5],
    ["minus zero", -0],
    ["a number over 2^53-1", 2 ** 53],
    ["NaN", NaN],
    ["a lone surrogate", "\ud800"],
    ["a lone surrogate in a key", { "\udc00": 1 }],
  ] as const
) {
  test(`canonicalJson() throws on ${what}: that is a bug of its caller`, () => {
    assert.throws(() => canonicalJson(bad), RangeError);
  });
}
