import assert from "node:assert/strict";
import { test } from "node:test";
import { concatBytes, encodeUtf8 } from "../../lib/core/bytes.ts";
import { type ZipFile, zippedBytes } from "../../lib/archive/mod.ts";

async function* filesOf(files: readonly ZipFile[]) {
  yield* files;
}

async function zip(files: readonly ZipFile[]) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of zippedBytes(filesOf(files))) chunks.push(chunk);
  return concatBytes(chunks);
}

function stored(over: Partial<ZipFile> = {}): ZipFile {
  const bytes = encodeUtf8("123456789");
  return {
    name: "a",
    method: "stored",
    crc32: 0xcbf43926,
    size: bytes.length,
    packedSize: bytes.length,
    open: async function* () {
      yield bytes;
    },
    ...over,
  };
}

test("zippedBytes() of no files is an end record alone", async () => {
  assert.deepEqual(await zip([]), concatBytes([encodeUtf8("PK\x05\x06"), new Uint8Array(18)]));
});

test("zippedBytes() flags a name as UTF-8 only beyond ASCII, in both headers", async () => {
  for (const [name, flags] of [["a", 0], ["ä", 0x0800]] as const) {
    const bytes = await zip([stored({ name })]);
    const view = new DataView(bytes.buffer);
    const directoryAt = view.getUint32(bytes.length - 6, true);
    assert.deepEqual([view.getUint16(6, true), view.getUint16(directoryAt + 8, true)], [
      flags,
      flags,
    ]);
  }
});

for (
  const [what, over, expected] of [
    ["fewer bytes than declared", { packedSize: 10 }, /a has 9 packed bytes, expected 10/],
    ["more bytes than declared", { packedSize: 8 }, /a has 9 packed bytes, expected 8/],
    ["a size that needs zip64", { size: 0xffff_ffff }, RangeError],
    ["a name that is too long", { name: "a".repeat(0xffff) }, RangeError],
  ] as const
) {
  test(`zippedBytes() refuses ${what}`, async () => {
    await assert.rejects(zip([stored(over)]), expected);
  });
}

test("zippedBytes() refuses more files than a zip without zip64 has", async () => {
  const files = Array.from({ length: 0xffff }, () => stored());
  await assert.rejects(zip(files), RangeError);
});
