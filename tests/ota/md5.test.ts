import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { encodeUtf8, toHex } from "../../lib/core/bytes.ts";
import { md5 } from "../../lib/ota-publish/s3/md5.ts";

// RFC 1321, A.5
const SUITE = [
  ["", "d41d8cd98f00b204e9800998ecf8427e"],
  ["a", "0cc175b9c0f1b6a831c399e269772661"],
  ["abc", "900150983cd24fb0d6963f7d28e17f72"],
  ["message digest", "f96b697d7cb7938d525a2f31aaf161d0"],
  ["abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"],
  [
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "d174ab98d277d9f5a5611c2c9f419d9f",
  ],
  ["1234567890".repeat(8), "57edf4a22be3c955ac49da2e2107b67a"],
] as const;

for (const [text, hash] of SUITE) {
  test(`md5() of ${JSON.stringify(text.slice(0, 20))}, ${text.length} bytes`, () =>
    assert.equal(toHex(md5(encodeUtf8(text))), hash));
}

test("md5() is the runtime's own at every length around a block", () => {
  for (let length = 0; length <= 260; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 73 + length);
    assert.equal(toHex(md5(bytes)), createHash("md5").update(bytes).digest("hex"), `${length}`);
  }
});
