import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { test } from "node:test";
import { scalePng } from "../../lib/devices/picture/scale-png.ts";
import { eventLoopTurn } from "../../lib/core/cooperative.ts";
import { wholePngSize } from "../../lib/core/png.ts";
import { pngChunk } from "../captures/fake-page.ts";
import { pngPixels } from "../support/png-pixels.ts";
import { runSeed, seededRandom } from "../support/random.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

interface Given {
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
  readonly at: (index: number) => number;
  /** The filter of a row. */
  readonly filterOf?: (y: number) => number;
  /** Bytes of the header after the sizes: depth, kind, compression, filters, interlace. */
  readonly header?: readonly number[];
}

/** A PNG file whose rows are filtered as they say (ISO/IEC 15948 §9). */
function pngFile({ width, height, channels, at, filterOf = () => 0, header }: Given) {
  const rowBytes = width * channels;
  const byte = (x: number, y: number) => x < 0 || y < 0 ? 0 : at(y * rowBytes + x);
  const raw: number[] = [];
  for (let y = 0; y < height; y++) {
    const filter = filterOf(y);
    raw.push(filter);
    for (let x = 0; x < rowBytes; x++) {
      const [a, b, c] = [byte(x - channels, y), byte(x, y - 1), byte(x - channels, y - 1)];
      const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
      const paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      raw.push((byte(x, y) - ([0, a, b, (a + b) >> 1, paeth][filter] ?? 0)) & 255);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set(header ?? [8, channels === 3 ? 2 : 6, 0, 0, 0], 8);
  const bytes = new Uint8Array(Buffer.concat([
    SIGNATURE,
    pngChunk("IHDR", head),
    pngChunk("IDAT", deflateSync(Uint8Array.from(raw))),
    pngChunk("IEND", new Uint8Array()),
  ]));
  return { bytes, image: { width, height } };
}

for (const channels of [3, 4] as const) {
  for (const filter of [0, 1, 2, 3, 4, "each"] as const) {
    test(`scalePng() takes the mean of ${channels} channels in filter ${filter}`, async () => {
      const seed = runSeed();
      const random = seededRandom(seed);
      const integer = (least: number, most: number) => least + random.below(most - least + 1);
      for (let round = 0; round < 20; round++) {
        const [width, height] = [integer(1, 40), integer(1, 40)];
        const values = Uint8Array.from(
          { length: width * height * channels },
          () => integer(0, 255),
        );
        const at = (index: number) => values[index] ?? 0;
        const filterOf = (y: number) => filter === "each" ? y % 5 : filter;
        const picture = pngFile({ width, height, channels, at, filterOf });
        const longest = integer(1, 45);
        const what = `SLIPWAY_SEED=${seed}, round ${round}: ${width} × ${height} to ${longest}`;
        const scaled = await scalePng(picture, longest);
        assert.ok(scaled !== null, what);
        assert.equal(
          Math.max(scaled.image.width, scaled.image.height),
          Math.min(longest, Math.max(width, height)),
          what,
        );
        assert.deepEqual(wholePngSize(scaled.bytes), scaled.image, what);
        const small = pngPixels(scaled.bytes);
        const [across, down] = [width / small.width, height / small.height];
        for (let y = 0; y < small.height; y++) {
          for (let x = 0; x < small.width; x++) {
            for (let channel = 0; channel < channels; channel++) {
              const covered: number[] = [];
              for (let row = Math.floor(y * down); row < Math.floor((y + 1) * down); row++) {
                for (
                  let column = Math.floor(x * across);
                  column < Math.floor((x + 1) * across);
                  column++
                ) {
                  covered.push(at((row * width + column) * channels + channel));
                }
              }
              const mean = covered.reduce((sum, value) => sum + value, 0) / covered.length;
              const found = small.rgba[(y * small.width + x) * 4 + channel];
              assert.equal(found, Math.round(mean), `${what}, pixel ${x}, ${y}`);
            }
          }
        }
      }
    });
  }
}

const grey = { width: 8, height: 8, channels: 4, at: () => 127 } as const;
const complete = pngFile(grey);
/** The file with its pixels changed. */
const withData = (data: Uint8Array) => ({
  ...complete,
  bytes: new Uint8Array(Buffer.concat([
    complete.bytes.subarray(0, 33),
    pngChunk("IDAT", data),
    pngChunk("IEND", new Uint8Array()),
  ])),
});
for (
  const [what, picture] of [
    ["too few pixels for 16 bits a channel", pngFile({ ...grey, header: [16, 6, 0, 0, 0] })],
    ["too many pixels for a palette", pngFile({ ...grey, header: [8, 3, 0, 0, 0] })],
    ["rows that are not interlaced as it says", pngFile({ ...grey, header: [8, 6, 0, 0, 1] })],
    ["a filter that there is not", pngFile({ ...grey, filterOf: () => 5 })],
    ["no pixels", withData(new Uint8Array())],
    ["too few pixels", withData(deflateSync(new Uint8Array(33 * 7)))],
    ["a hundred megabytes of pixels", withData(deflateSync(new Uint8Array(100_000_000)))],
    ["pixels that are no zlib stream", withData(new Uint8Array(100).fill(1))],
    ["a length past its end", { ...complete, bytes: complete.bytes.subarray(0, 45) }],
  ] as const
) {
  test(`scalePng() is null for ${what}`, async () => {
    assert.equal(await scalePng(picture, 4), null);
  });
}

test("scalePng() reads what is interlaced, of a palette or of 16 bits a channel", async () => {
  const head = (depth: number, color: number, interlaced: number) =>
    Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, depth, color, 0, 0, interlaced]);
  const files = [
    // Adam7 of four pixels: the first, the second, then the lower row.
    [head(8, 2, 1), [], [0, 90, 90, 90, 0, 90, 90, 90, 0, 90, 90, 90, 90, 90, 90]],
    [head(8, 3, 0), [pngChunk("PLTE", Uint8Array.of(90, 90, 90))], [0, 0, 0, 0, 0, 0]],
    [head(16, 0, 0), [], [0, 90, 90, 90, 90, 0, 90, 90, 90, 90]],
  ] as const;
  for (const [header, more, raw] of files) {
    const bytes = new Uint8Array(Buffer.concat([
      SIGNATURE,
      pngChunk("IHDR", header),
      ...more,
      pngChunk("IDAT", deflateSync(Uint8Array.from(raw))),
      pngChunk("IEND", new Uint8Array()),
    ]));
    const scaled = await scalePng({ bytes, image: { width: 2, height: 2 } }, 1);
    assert.ok(scaled !== null);
    assert.deepEqual([...pngPixels(scaled.bytes).rgba], [90, 90, 90, 255]);
  }
});

test("scalePng() gives back what is small enough", async () => {
  assert.equal(await scalePng(complete, 8), complete);
});

test("scalePng() lets others have their turn between rows, and takes no row of a million pixels", async () => {
  const file = pngFile({ width: 4, height: 60, channels: 3, at: (index) => index & 255 });
  let time = 0;
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns++) await eventLoopTurn();
  })();
  assert.deepEqual((await scalePng(file, 20, () => time += 20))?.image, { width: 1, height: 20 });
  isDone = true;
  await others;
  assert.ok(turns >= 60 + 20 + 20, `${turns} turns`);
  const wide = pngFile({ width: 20_000, height: 1, channels: 3, at: () => 0 });
  assert.equal(await scalePng(wide, 1_000), null);
});
