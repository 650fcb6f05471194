import { test } from "node:test";
import assert from "node:assert/strict";
import { concatBytes } from "../../lib/core/bytes.ts";
import { PNG_HEAD_BYTES, wholePngSize } from "../../lib/core/png.ts";
import { pngChunk, pngOf } from "./fake-page.ts";

const SIZE = { width: 40, height: 30 };
const WHOLE = pngOf(SIZE.width, SIZE.height);
const HEAD = WHOLE.subarray(0, PNG_HEAD_BYTES);
const END = pngChunk("IEND", new Uint8Array());
const PIXELS = WHOLE.subarray(PNG_HEAD_BYTES, WHOLE.length - END.length);

function changed(at: number): Uint8Array {
  return WHOLE.map((byte, index) => index === at ? byte ^ 1 : byte);
}

const FILES: readonly (readonly [string, Uint8Array, typeof SIZE | null])[] = [
  ["a whole file", WHOLE, SIZE],
  [
    "one with a comment",
    concatBytes([HEAD, pngChunk("tEXt", new Uint8Array(9)), PIXELS, END]),
    SIZE,
  ],
  ["nothing", new Uint8Array(), null],
  ["a header alone", HEAD, null],
  ["a header and an end", concatBytes([HEAD, END]), null],
  ["no end", WHOLE.subarray(0, -END.length), null],
  ["half a chunk", WHOLE.subarray(0, PNG_HEAD_BYTES + 14), null],
  [
    "a chunk longer than the file",
    concatBytes([HEAD, Uint8Array.of(0xff, 0xff, 0xff, 0xff), END]),
    null,
  ],
  ["bytes behind the end", concatBytes([WHOLE, Uint8Array.of(0)]), null],
  ["a pixel changed", changed(PNG_HEAD_BYTES + 12), null],
  ["a width changed", changed(19), null],
  ["empty pixels", concatBytes([HEAD, pngChunk("IDAT", new Uint8Array()), END]), null],
  ["more pixels than are drawn", pngOf(65_536, 257), null],
];

for (const [what, bytes, expected] of FILES) {
  test(`wholePngSize() of ${what}`, () => assert.deepEqual(wholePngSize(bytes), expected));
}
