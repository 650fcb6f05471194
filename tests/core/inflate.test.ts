import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { toHex } from "../../lib/core/bytes.ts";
import { Inflated } from "../../lib/core/inflate.ts";

/** Its bytes, where it has exactly that many. */
async function inflated(
  packed: readonly Uint8Array<ArrayBuffer>[],
  length: number,
): Promise<Uint8Array | null> {
  const stream = new Inflated(packed, () => Promise.resolve());
  const bytes = new Uint8Array(length);
  try {
    return await stream.read(bytes) && await stream.isAtEnd() ? bytes : null;
  } finally {
    await stream.close();
  }
}

const bytesOf = (buffer: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(buffer);

test("Inflated gives what was packed, however it is cut, and nothing of what is more", async () => {
  const plain = Uint8Array.from({ length: 500 }, (_, index) => index * index & 255);
  const packed = bytesOf(deflateSync(plain));
  for (const cut of [0, 1, 7, packed.length - 1]) {
    const parts = [packed.subarray(0, cut), packed.subarray(cut)];
    assert.equal(toHex(await inflated(parts, plain.length) ?? plain.subarray(1)), toHex(plain));
  }
  const bad = [
    packed.subarray(0, -9),
    plain,
    packed.map((byte, index) => index === 9 ? ~byte : byte),
  ];
  for (const one of bad) assert.equal(await inflated([one], plain.length), null);
  assert.equal(await inflated([packed], plain.length - 1), null);
  assert.equal(await inflated([packed], plain.length + 1), null);
});

test("Inflated never holds much more of a bomb than it may keep", async () => {
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
    assert.equal(await inflated([bomb], 1024), null);
  } finally {
    Object.assign(globalThis, { DecompressionStream: Own });
  }
  assert.ok(largest > 1024 && largest <= 8 * 1024 * 1024, `${largest} bytes at once`);
});

test("Inflated lets others have their turn before each piece, though nothing comes of it", async () => {
  // Blocks of no bytes (RFC 1951 §3.2.4), as many as a file may have.
  const blocks = Uint8Array.from(
    { length: 5 * 40_000 },
    (_, at) => [0, 0, 0, 0xff, 0xff][at % 5] ?? 0,
  );
  let turns = 0;
  const turn = () => {
    turns++;
    return Promise.resolve();
  };
  const stream = new Inflated([Uint8Array.of(0x78, 0x01), blocks], turn);
  assert.equal(await stream.read(new Uint8Array(1)), false);
  assert.ok(turns > 40, `${turns} turns`);
});
