import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 as platforms } from "node:zlib";
import { crc32 } from "../../lib/core/crc32.ts";

test("crc32() is what the platform's is, of any length, from any byte, in any pieces", () => {
  const bytes = Uint8Array.from({ length: 100 }, (_none, at) => at * 37 ^ at >> 2);
  for (let from = 0; from < 9; from++) {
    for (let to = from; to <= bytes.length; to++) {
      const part = bytes.subarray(from, to);
      const expected = platforms(part);
      assert.equal(crc32(part), expected, `${from} to ${to}`);
      const middle = to % (part.length + 1);
      assert.equal(crc32(part.subarray(middle), crc32(part.subarray(0, middle))), expected);
    }
  }
});
