import { test } from "node:test";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import { createFiles } from "../../adapters/node/files.ts";
import { decodePng } from "../../lib/core/decode-png.ts";
import { encodePng } from "../../lib/project/icons/encode-png.ts";
import { makeIcons } from "../../lib/project/icons/icons.ts";
import type { Square } from "../../lib/project/icons/pixels.ts";
import { scaled } from "../../lib/project/icons/scale.ts";
import { withFolder, writeTree } from "../support/folder.ts";

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

interface Kind {
  readonly depth: number;
  readonly color: number;
  readonly interlaced?: boolean;
  readonly palette?: readonly number[];
  readonly transparency?: readonly number[];
}

/** A PNG of samples that are written without a filter, by the runtime's zlib. */
function pngOf(
  side: number,
  { depth, color, interlaced = false, palette, transparency }: Kind,
  samplesAt: (x: number, y: number) => readonly number[],
): Uint8Array<ArrayBuffer> {
  const passes = interlaced
    ? [[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [
      0,
      1,
      1,
      2,
    ]]
    : [[0, 0, 1, 1]];
  const rows: number[] = [];
  for (const [left = 0, top = 0, dx = 1, dy = 1] of passes) {
    for (let y = top; y < side && left < side; y += dy) {
      let bits = "";
      for (let x = left; x < side; x += dx) {
        for (const sample of samplesAt(x, y)) bits += sample.toString(2).padStart(depth, "0");
      }
      const bytes = bits.padEnd(Math.ceil(bits.length / 8) * 8, "0").match(/.{8}/g) ?? [];
      rows.push(0, ...bytes.map((byte) => Number.parseInt(byte, 2)));
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([depth, color, 0, 0, interlaced ? 1 : 0], 8);
  return new Uint8Array(Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    ...(palette ? [chunk("PLTE", Uint8Array.from(palette))] : []),
    ...(transparency ? [chunk("tRNS", Uint8Array.from(transparency))] : []),
    chunk("IDAT", deflateSync(Uint8Array.from(rows))),
    chunk("IEND", new Uint8Array()),
  ]));
}

/** A square that no filter and no repetition makes empty. */
function noise(side: number, opacity: (at: number) => number = () => 255): Square {
  let seed = 7;
  const rgba = new Uint8Array(side * side * 4);
  for (let at = 0; at < rgba.length; at++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    rgba[at] = at % 4 === 3 ? opacity(at >> 2) : (seed >>> 24) >> (at % 16 < 8 ? 0 : 5);
  }
  return { side, rgba };
}

for (
  const [title, kind, samplesAt, want] of [
    [
      "1 bit of grey",
      { depth: 1, color: 0 },
      (x: number) => [x % 2],
      (x: number) => x % 2 ? [255, 255, 255, 255] : [0, 0, 0, 255],
    ],
    ["4 bits of grey, one hidden", { depth: 4, color: 0, transparency: [0, 2] }, (x: number) => [
      x % 16,
    ], (x: number) => [x % 16 * 17, x % 16 * 17, x % 16 * 17, x % 16 === 2 ? 0 : 255]],
    ["16 bits of grey", { depth: 16, color: 0 }, (x: number) => [x * 4_369], (x: number) => [
      x * 17,
      x * 17,
      x * 17,
      255,
    ]],
    ["colours", { depth: 8, color: 2 }, (x: number, y: number) => [x, y, 9], (
      x: number,
      y: number,
    ) => [x, y, 9, 255]],
    ["colours, one hidden", { depth: 8, color: 2, transparency: [0, 3, 0, 0, 0, 9] }, (
      x: number,
    ) => [x, 0, 9], (x: number) => [x, 0, 9, x === 3 ? 0 : 255]],
    ["16 bits of colour and opacity, interlaced", { depth: 16, color: 6, interlaced: true }, (
      x: number,
      y: number,
    ) => [x * 257, y * 257, 0, 65_535], (x: number, y: number) => [x, y, 0, 255]],
    [
      "a palette",
      {
        depth: 2,
        color: 3,
        palette: [1, 2, 3, 4, 5, 6, 7, 8, 9],
        transparency: [255, 7],
      },
      (x: number) => [x % 3],
      (x: number) => [[1, 2, 3, 255], [4, 5, 6, 7], [7, 8, 9, 255]][x % 3] ?? [],
    ],
    ["grey and opacity, interlaced", { depth: 8, color: 4, interlaced: true }, (
      x: number,
      y: number,
    ) => [x * 9, y], (x: number, y: number) => [x * 9, x * 9, x * 9, y]],
  ] as const
) {
  test(`decodePng() reads ${title}`, async () => {
    for (const side of [1, 5, 13]) {
      const decoded = await decodePng(pngOf(side, kind, samplesAt));
      assert.ok(decoded.ok, decoded.ok ? "" : decoded.error);
      const pixels = Array.from(
        { length: side * side },
        (_, n) => want(n % side, Math.floor(n / side)),
      );
      assert.deepEqual([...decoded.value.rgba], pixels.flat());
    }
  });
}

test("encodePng() is read back to the byte, with and without opacity", async () => {
  for (const square of [noise(37), noise(64, (n) => n % 251), noise(1)]) {
    const decoded = await decodePng(encodePng(square));
    assert.ok(decoded.ok && decoded.value.width === square.side);
    assert.deepEqual(decoded.value.rgba, square.rgba);
  }
});

test("scaled() takes the mean of light, and what is not seen has no colour in it", () => {
  const chess: Square = {
    side: 2,
    rgba: Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 255),
  };
  assert.deepEqual([...scaled(chess, 1).rgba], [188, 188, 188, 255]);
  const half: Square = {
    side: 2,
    rgba: Uint8Array.of(200, 10, 0, 255, 0, 255, 0, 0, 200, 10, 0, 255, 0, 255, 0, 0),
  };
  assert.deepEqual([...scaled(half, 1).rgba], [200, 10, 0, 128]);
});

// BUILD-9
test("decodePng() and makeIcons() of the largest icon let others have their turn", () =>
  withFolder(async (root) => {
    const side = 4_096;
    const header = Buffer.alloc(13);
    header.writeUInt32BE(side, 0);
    header.writeUInt32BE(side, 4);
    header.set([8, 3, 0, 0, 0], 8);
    const pixels = deflateSync(Buffer.alloc((side + 1) * side));
    const file = Buffer.concat([
      Buffer.from("89504e470d0a1a0a", "hex"),
      chunk("IHDR", header),
      chunk("PLTE", Buffer.from([200, 100, 50])),
      chunk("IDAT", pixels),
      chunk("IEND", Buffer.alloc(0)),
    ]);
    writeTree(root, { "large.png": file });
    let turns = 0;
    const others = setInterval(() => turns++, 1);
    try {
      const decoded = await decodePng(new Uint8Array(file));
      assert.ok(decoded.ok);
      const ofDecoding = turns;
      assert.ok(ofDecoding > 5, `${ofDecoding} turns while it was decoded`);
      assert.ok((await icon(root, "large.png")).ok);
      assert.ok(turns > ofDecoding + 10, `${turns - ofDecoding} turns while icons were made`);
    } finally {
      clearInterval(others);
    }
  }));

// BUILD-9
test("decodePng() refuses a file of more chunks than a picture needs", async () => {
  const plain = pngOf(1, { depth: 8, color: 0 }, () => [0]);
  const empty = chunk("tEXt", Buffer.alloc(0));
  const many = Buffer.concat([
    plain.subarray(0, 33),
    ...Array.from({ length: 20_000 }, () => empty),
    plain.subarray(33),
  ]);
  const decoded = await decodePng(new Uint8Array(many));
  assert.equal(decoded.ok ? "" : decoded.error, "a PNG of more than 20000 chunks");
});

test("an icon becomes what browsers and phones take, the same bytes on every runtime", () =>
  withFolder(async (root) => {
    writeTree(root, { "art/ship.png": encodePng(noise(600, (n) => n < 200_000 ? 255 : 0)) });
    const icons = await icon(root, "art/ship.png");
    assert.ok(icons.ok, icons.ok ? "" : icons.error.detail);
    assert.deepEqual(icons.value.map(({ path, sizes, uses }) => [path, sizes, uses]), [
      ["icons/icon-48.png", "48x48", ["page"]],
      ["icons/icon-180.png", "180x180", ["apple"]],
      ["icons/icon-192.png", "192x192", ["any"]],
      ["icons/icon-512.png", "512x512", ["any"]],
      ["icons/icon-maskable-512.png", "512x512", ["maskable"]],
    ]);
    for (const { bytes, sizes, uses } of icons.value) {
      const decoded = await decodePng(bytes);
      assert.ok(decoded.ok);
      const { width, height, rgba } = decoded.value;
      assert.equal(`${width}x${height}`, sizes);
      const isWhole = rgba.every((value, at) => at % 4 < 3 || value === 255);
      assert.equal(isWhole, uses.includes("apple") || uses.includes("maskable"));
    }
    const hash = createHash("sha256");
    for (const { bytes } of icons.value) hash.update(bytes);
    assert.equal(hash.digest("hex"), DRAWN);
  }));

const DRAWN = "871cd8a00a458bc0046d7f582f590f6be0e1f4d7a5823bdba2050d034b8fad6c";

for (
  const [name, letter] of [["Ärger", "A"], ["9 Lives", "9"], ["日", "a triangle"], [
    "🚢 Ship",
    "a triangle",
  ]] as const
) {
  test(`a game called ${name} without an icon has ${letter} on a colour, as SVG and PNG`, async () => {
    const icons = await makeIcons({ files: createFiles(), root: "/", config: { name } });
    assert.ok(icons.ok);
    assert.deepEqual(icons.value.map(({ sizes, uses }) => [sizes, uses]), [
      ["any", ["page"]],
      ["180x180", ["apple"]],
      ["192x192", ["any"]],
      ["512x512", ["any", "maskable"]],
    ]);
    const [svg, , , large] = icons.value;
    const drawn = await decodePng(large?.bytes ?? new Uint8Array());
    assert.ok(drawn.ok && svg !== undefined);
    const dots = [...new TextDecoder().decode(svg.bytes).matchAll(/M(\d+) (\d+)h(44)v/g)];
    const white = drawn.value.rgba.filter((value, at) => at % 4 === 0 && value === 255).length;
    assert.equal(white, dots.reduce((sum, [, , , size]) => sum + Number(size) ** 2, 0));
    assert.equal(dots.length, { A: 18, 9: 15, "a triangle": 16 }[letter]);
  });
}

const icon = (root: string, path: string) =>
  makeIcons({ files: createFiles(), root, config: { name: "Boats", icon: path } });

for (
  const [title, bytes, found] of [
    ["is not there", null, /no such file/],
    ["is no PNG", new TextEncoder().encode("GIF89a"), /found no PNG/],
    ["is too small", encodePng(noise(40)), /found 40×40 pixels/],
    ["is cut off", encodePng(noise(512)).slice(0, 5_000), /cut off/],
    ["is damaged within", damaged(), /cannot be unpacked/],
  ] as const
) {
  test(`makeIcons() refuses an icon that ${title}`, () =>
    withFolder(async (root) => {
      if (bytes !== null) writeTree(root, { "icon.png": bytes });
      const icons = await icon(root, "icon.png");
      assert.ok(!icons.ok);
      assert.deepEqual([icons.error.status, icons.error.code], [422, "icon-invalid"]);
      assert.match(icons.error.detail, found);
      assert.match(icons.error.detail, /"icon\.png".*expected a square PNG of 512 to 4096 pixels/);
    }));
}

test("makeIcons() makes the icons of one picture once, and others once it has changed", () =>
  withFolder(async (root) => {
    const made = async (path: string) => {
      const icons = await icon(root, path);
      assert.ok(icons.ok);
      return icons.value;
    };
    writeTree(root, { "icon.png": encodePng(noise(512)) });
    const first = await made("icon.png");
    assert.equal(await made("icon.png"), first);
    writeTree(root, { "icon.png": encodePng(noise(513)), "icon.svg": encodePng(noise(512)) });
    const second = await made("icon.png");
    assert.notDeepEqual(second.map(({ bytes }) => bytes), first.map(({ bytes }) => bytes));
    assert.equal((await icon(root, "icon.svg")).ok, false, "whatever was made of the same bytes");
  }));

function damaged(): Uint8Array<ArrayBuffer> {
  const bytes = encodePng(noise(512));
  bytes.fill(0xff, 60, 2_000);
  return bytes;
}

for (
  const [text, isTaken] of [
    ['<?xml version="1.0"?>\n<!-- a > b -->\n<svg xmlns="http://www.w3.org/2000/svg"/>', true],
    ["<html><svg/></html>", false],
    ["<!-- a --><!-- b -->\n<svg/>", true],
    ["", false],
  ] as const
) {
  test(`makeIcons() ${isTaken ? "takes" : "refuses"} as SVG ${JSON.stringify(text)}`, () =>
    withFolder(async (root) => {
      writeTree(root, { "icon.svg": text });
      const icons = await icon(root, "icon.svg");
      assert.equal(icons.ok, isTaken);
      if (icons.ok) {
        assert.deepEqual(icons.value.map(({ path, uses }) => [path, uses]), [
          ["icons/icon.svg", ["page", "any"]],
        ]);
      }
    }));
}

test("makeIcons() reads each comment before an SVG's first element in one way", () =>
  withFolder(async (root) => {
    // Read in every way, these are 2^400: no such test ends.
    writeTree(root, { "icon.svg": `${"<!---->".repeat(400)}<html/>` });
    const icons = await icon(root, "icon.svg");
    assert.equal(icons.ok ? null : icons.error.code, "icon-invalid");
  }));
