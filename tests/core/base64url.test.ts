import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fromBase64Url, toBase64Url } from "../../lib/core/base64url.ts";
import { encodeUtf8 } from "../../lib/core/bytes.ts";

// RFC 4648 §10, without the padding that base64url leaves out here.
for (
  const [plain, encoded] of [
    ["", ""],
    ["f", "Zg"],
    ["fo", "Zm8"],
    ["foo", "Zm9v"],
    ["foob", "Zm9vYg"],
    ["fooba", "Zm9vYmE"],
    ["foobar", "Zm9vYmFy"],
  ] as const
) {
  test(`toBase64Url() and fromBase64Url() turn "${plain}" into "${encoded}" and back`, () => {
    assert.equal(toBase64Url(encodeUtf8(plain)), encoded);
    assert.deepEqual(fromBase64Url(encoded), encodeUtf8(plain));
  });
}

test("toBase64Url() uses - and _ for the last two digits", () => {
  assert.equal(toBase64Url(Uint8Array.of(0xfb, 0xff)), "-_8");
});

for (
  const [name, text] of [
    ["padding", "Zg=="],
    ["half of the padding", "Zm8="],
    ["the digit +", "+_8A"],
    ["the digit /", "-/8A"],
    ["a space", "Zm 9v"],
    ["a line break at the end", "Zm8\n"],
    ["a byte order mark", "\ufeffZm9"],
    ["a letter outside ASCII", "Zmé9"],
    ["a NUL", "Zm9\0"],
    ["non-zero trailing bits after one byte", "Zh"],
    ["non-zero trailing bits after two bytes", "Zm9"],
    ["length 1", "Z"],
    ["length 5", "Zm9vY"],
  ] as const
) {
  test(`fromBase64Url() refuses ${name}`, () => assert.equal(fromBase64Url(text), null));
}

test("fromBase64Url() undoes toBase64Url() for any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const text = toBase64Url(bytes);
      assert.match(text, /^[A-Za-z0-9_-]*$/);
      assert.deepEqual([...fromBase64Url(text) ?? [-1]], [...bytes]);
    }),
  );
});

test("fromBase64Url() takes one text for one value", () => {
  const digit = fc.constantFrom(..."ABCgwQZaz09-_=+");
  fc.assert(
    fc.property(fc.string({ unit: digit, maxLength: 10 }), (text) => {
      const bytes = fromBase64Url(text);
      if (bytes !== null) assert.equal(toBase64Url(bytes), text);
    }),
    { numRuns: 1000 },
  );
});
