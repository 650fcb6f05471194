import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeUtf8, viewOf } from "../../lib/core/bytes.ts";
import { adapter } from "./adapter.ts";

const { deflate, crc32 } = adapter.createDeflating();
const noise = crypto.getRandomValues(new Uint8Array(40_000));

const CONTENTS = [
  ["nothing", new Uint8Array()],
  ["one byte", Uint8Array.of(7)],
  ["text", encodeUtf8("for (const ship of harbor.ships) ship.sail();\n".repeat(2_000))],
  ["noise", noise],
  ["a megabyte of zeros", new Uint8Array(1 << 20)],
  ["a part of a buffer", noise.subarray(1_001, 30_000)],
] as const;

async function inflated(bytes: Uint8Array<ArrayBuffer>, format: "deflate-raw" | "gzip") {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

for (const [name, bytes] of CONTENTS) {
  for (const [framing, format] of [["raw", "deflate-raw"], ["gzip", "gzip"]] as const) {
    test(`Deflating.deflate() of ${name}, ${framing}, inflates to the same`, async () => {
      assert.deepEqual(await inflated(await deflate(bytes, framing), format), bytes);
    });
  }
}

test("Deflating.deflate() gives bytes of their own, equal for equal content", async () => {
  const [, text] = CONTENTS[2];
  const all = await Promise.all(Array.from({ length: 20 }, () => deflate(text, "raw")));
  const [first] = all;
  assert.ok(first !== undefined && first.length < text.length / 10);
  for (const one of all) assert.deepEqual(one, first);
  assert.equal(first.byteLength, first.buffer.byteLength, "no larger buffer is kept");
});

test("Deflating.crc32() is that of a gzip member, whole or in pieces", async () => {
  assert.equal(crc32(encodeUtf8("123456789"), 0), 0xcbf43926);
  const trailer = viewOf((await deflate(noise, "gzip")).slice(-8));
  assert.equal(crc32(noise, 0), trailer.getUint32(0, true));
  assert.equal(crc32(noise.subarray(999), crc32(noise.subarray(0, 999), 0)), crc32(noise, 0));
  assert.equal(crc32(new Uint8Array(), 5), 5);
});
