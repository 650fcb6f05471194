import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { toHex } from "../../lib/core/bytes.ts";
import { inflateAtMost } from "../../lib/core/inflate.ts";

const bytesOf = (buffer: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(buffer);

test("inflateAtMost() gives what was packed, however it is cut, and nothing of what is more", async () => {
  const plain = Uint8Array.from({ length: 500 }, (_, index) => index * index & 255);
  const packed = bytesOf(deflateSync(plain));
  for (const cut of [0, 1, 7, packed.length - 1]) {
    const parts = [packed.subarray(0, cut), packed.subarray(cut)];
    assert.equal(
      toHex(await inflateAtMost(parts, plain.length) ?? plain.subarray(1)),
      toHex(plain),
    );
  }
  const bad = [
    packed.subarray(0, -9),
    plain,
    packed.map((byte, index) => index === 9 ? ~byte : byte),
  ];
  for (const one of bad) assert.notEqual((await inflateAtMost([one], plain.length))?.length, 500);
  assert.equal(await inflateAtMost([packed], plain.length - 1), null);
});

test("inflateAtMost() never holds much more of a bomb than it may keep", async () => {
  const Own = DecompressionStream;
  let largest = 0;
  class Watched {
    readonly writable: WritableStream<BufferSource>;
    readonly readable: ReadableStream<Uint8Array>;

    constructor(format: CompressionFormat) {
      const { writable, readable } = new Own(format);
      this.writable = writable;
      this.readable = readable.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(piece, controller) {
            largest = Math.max(largest, piece.length);
            controller.enqueue(piece);
          },
        }),
      );
    }
  }
  const bomb = bytesOf(deflateSync(new Uint8Array(64 * 1024 * 1024)));
  Object.assign(globalThis, { DecompressionStream: Watched });
  try {
    assert.equal(await inflateAtMost([bomb], 1024), null);
  } finally {
    Object.assign(globalThis, { DecompressionStream: Own });
  }
  assert.ok(largest > 1024 && largest <= 8 * 1024 * 1024, `${largest} bytes at once`);
});
