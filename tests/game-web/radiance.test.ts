import assert from "node:assert/strict";
import { test } from "node:test";
import { concatBytes, encodeUtf8 } from "../../lib/core/bytes.ts";
import { readRadiance } from "../../lib/game-web/picture/radiance.ts";

// A project's pictures may come from anywhere: a Radiance file is drawn as it is, or refused by what is
// wrong with it.

const [WIDTH, HEIGHT] = [8, 2];
const PIXELS = WIDTH * HEIGHT;

const header = (width = WIDTH, height = HEIGHT) =>
  encodeUtf8(`#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${height} +X ${width}\n`);

/** Every pixel is 1, 0.5 and 0.25. */
const pixel = Uint8Array.of(128, 64, 32, 129);
const flat = (count = PIXELS) => concatBytes(Array.from({ length: count }, () => pixel));

/** A row in which each channel is one run. */
function packedRow({ width = WIDTH, run = WIDTH }: { width?: number; run?: number } = {}) {
  const start = Uint8Array.of(2, 2, width >> 8, width & 255);
  return concatBytes([start, ...[...pixel].map((byte) => Uint8Array.of(128 + run, byte))]);
}

const read = (...parts: readonly Uint8Array[]) => readRadiance(concatBytes([...parts]));

const packed = concatBytes([packedRow(), packedRow()]);
const DRAWN: Readonly<Record<string, Uint8Array>> = {
  "one with a value for each pixel": flat(),
  "one with bytes after its pixels": flat(PIXELS + 100),
  "one with half a pixel after its pixels": concatBytes([flat(), Uint8Array.of(1, 2)]),
  "one of runs": packed,
  "one of runs with bytes after its pixels": concatBytes([packed, flat(100)]),
};

for (const [what, body] of Object.entries(DRAWN)) {
  test(`a Radiance picture is read: ${what}`, async () => {
    const { data, width, height } = (await read(header(), body)).image;
    assert.deepEqual([width, height], [WIDTH, HEIGHT]);
    assert.equal(data?.length, PIXELS * 4);
    const first = [...(data ?? []).slice(0, 4)];
    assert.deepEqual([...(data ?? [])], Array.from({ length: PIXELS }, () => first).flat());
  });
}

const REFUSED: Readonly<Record<string, readonly Uint8Array[]>> = {
  "no pixels": [header()],
  "a pixel too few": [header(), flat(PIXELS - 1)],
  "a row too few": [header(), packedRow()],
  "a row that breaks off in a run": [header(), packed.slice(0, -1)],
  "a row without its last run": [header(), packed.slice(0, -2)],
  "a row of another width": [header(), packedRow({ width: WIDTH + 1 }), packedRow()],
  "a run longer than its row": [header(), packedRow({ run: WIDTH + 4 }), packedRow()],
  "a run of nothing": [header(), Uint8Array.of(2, 2, 0, WIDTH, 0, 0, 0, 0, 0, 0, 0, 0)],
  "a row too few behind a size with two blanks": [
    encodeUtf8(`#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y  ${HEIGHT}  +X ${WIDTH} \n`),
    packedRow(),
  ],
  "a row too few behind a size that goes another way": [
    encodeUtf8(`#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n+Y 1 -X 1\n-Y ${HEIGHT} +X ${WIDTH}\n`),
    packedRow(),
  ],
  "a size before its format, which is no bound of what is read": [
    encodeUtf8(`#?RADIANCE\n-Y ${HEIGHT} +X ${WIDTH}\nFORMAT=32-bit_rle_rgbe\n`),
    flat(),
  ],
  "two sizes, the smaller one first": [
    encodeUtf8("#?RADIANCE\n-Y 1 +X 1\n-Y 9000 +X 30000\nFORMAT=32-bit_rle_rgbe\n"),
    packedRow(),
  ],
  "no size": [encodeUtf8("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n")],
};

for (const [what, parts] of Object.entries(REFUSED)) {
  test(`a Radiance picture is refused: ${what}`, () => assert.rejects(read(...parts), Error));
}
