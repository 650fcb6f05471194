import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { qrPath } from "../../lib/page/model/qr.ts";

/** CommonJS whose types say otherwise. */
const readQr: (
  pixels: Uint8ClampedArray,
  width: number,
  height: number,
) => { readonly data: string } | null = createRequire(import.meta.url)("jsqr");

for (
  const url of [
    "https://u.example/release.json",
    `https://updates.example/${"a/".repeat(60)}release.json`,
    "http://[::1]:8080/höfen/release.json?x=%20",
  ]
) {
  test(`another's reader reads the QR code of ${url.slice(0, 40)}`, () => {
    const { path, size } = qrPath(url);
    const scale = 4;
    const side = size * scale;
    const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
    for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\d+z/g)) {
      const from = [Number(x) * scale, Number(y) * scale] as const;
      for (let row = from[1]; row < from[1] + scale; row++) {
        for (let at = from[0]; at < from[0] + Number(width) * scale; at++) {
          pixels.fill(0, (row * side + at) * 4, (row * side + at) * 4 + 3);
        }
      }
    }
    assert.equal(readQr(pixels, side, side)?.data, url);
  });
}
