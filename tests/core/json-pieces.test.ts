import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeUtf8, encodeUtf8 } from "../../lib/core/bytes.ts";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import { jsonFileParsing } from "../../lib/core/json-pieces.ts";
import { parseJsonFile } from "../../lib/core/json-text.ts";
import { runSeed } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";

// The runtime's own parser decides what is JSON, what it says and where it stops being JSON; a
// parser in pieces agrees with it (decision 153). Small texts in tiny pieces reach all of the code.

const seed = runSeed();

/** The same value, with the same members in the same order, or the same sentence. */
function assertSame(bytes: Uint8Array, piece: number): void {
  const inOnePiece = parseJsonFile("f.json", bytes);
  const inPieces = runAtOnce(jsonFileParsing("f.json", bytes, piece));
  assert.deepEqual(inPieces, inOnePiece);
  assert.equal(JSON.stringify(inPieces), JSON.stringify(inOnePiece));
}

const name = fc.oneof(
  fc.constantFrom("a", "b", "10", "2", "__proto__", "", "ö", 'a"b', "x,[{]}:")
    .map((one) => JSON.stringify(one)),
  // Other spellings of names that are above, and a lone surrogate.
  fc.constantFrom('"\\u0061"', '"__pr\\u006fto__"', '"\\ud800"', '"-1"', '"4294967295"'),
);
const text = fc.constantFrom("", "t", '"', "\\", '\\",[', "]}", "ü€😀", "\n", "constructor");
/** Written as JSON allows it: no serializer writes most of these. */
const scalar = fc.oneof(
  text.map((one) => JSON.stringify(one)),
  fc.constantFrom(
    "0",
    "-0",
    "-0.0",
    "1.50",
    "-12E+30",
    "1e-7",
    "1e400",
    "-1e-400",
    "123456789e300",
  ),
  fc.constantFrom("9007199254740993", "0.1000000000000000055511151231257827", "1" + "0".repeat(60)),
  fc.constantFrom("true", "false", "null", '"\\ud800"', '"\\udc00\\ud800"', '"\\u0022\\/\\b"'),
);
const blank = fc.constantFrom("", "", "", " ", "\n", "\r\n\t ");

/** A text of JSON, in which names come again. */
const { value: json } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    tie("list"),
    tie("object"),
  ),
  list: fc.array(fc.tuple(blank, tie("value"), blank), { maxLength: 6 })
    .map((items) => `[${items.map((item) => item.join("")).join(",")}]`),
  object: fc.array(fc.tuple(blank, name, blank, tie("value"), blank), { maxLength: 6 })
    .map((members) =>
      `{${
        members.map(([before, key, between, value, after]) =>
          `${before}${key}${between}:${value}${after}`
        ).join(",")
      }}`
    ),
}));

/** What a hand or a cut leaves in a text. */
const scratch = fc.record({
  at: fc.nat(),
  taken: fc.nat({ max: 4 }),
  put: fc.constantFrom("", ",", "[", "]", "{", "}", '"', "\\", ":", "0", "x", "\ufeff", " ", "1,2"),
});

test("jsonFileParsing() reads what parseJsonFile() reads, whatever the pieces", () => {
  fc.assert(
    fc.property(json, blank, fc.integer({ min: 1, max: 40 }), (value, around, piece) => {
      assertSame(encodeUtf8(around + value + around), piece);
    }),
    { seed, numRuns: rounds(3_000, 100_000) },
  );
});

test("jsonFileParsing() refuses what parseJsonFile() refuses, in the same words", () => {
  fc.assert(
    fc.property(
      json,
      scratch,
      fc.integer({ min: 1, max: 40 }),
      (value, { at, taken, put }, piece) => {
        const from = at % (value.length + 1);
        const broken = value.slice(0, from) + put + value.slice(from + taken);
        if (broken.isWellFormed()) assertSame(encodeUtf8(broken), piece);
      },
    ),
    { seed, numRuns: rounds(6_000, 200_000) },
  );
});

const BROKEN = [
  "[1][2]",
  "[[[1,2,3]]",
  "[[[1,2,3]]]]",
  '{"a":[1,2,3],}',
  '{"a":[1,2,3]"b":1}',
  "[[1,2,3],]",
  "[,[1,2,3]]",
  "[[1,2,3}]",
  '{"a",[1,2,3]}',
  '{"a":1:[1,2,3]}',
  "x[1,2,3,4]",
  "9[1,2,3,4]",
  "[[1,2,3]e-7]",
  "[1,2,3,4]x",
  "1,[2,3,4]",
  '["aaaaaaaaaaaaaa',
  '["a\naaaaaaaaaaaaaa"]',
  "\ufeff[1,2,3,4]",
  "[1,2,3,\ufeff4,5,6]",
  "            ",
];
for (const broken of BROKEN) {
  test(`jsonFileParsing() says where ${JSON.stringify(broken).slice(0, 40)} breaks`, () => {
    for (let piece = 1; piece < broken.length; piece++) assertSame(encodeUtf8(broken), piece);
  });
}

test("jsonFileParsing() refuses what is not UTF-8, wherever it is", () => {
  const intact = encodeUtf8(`{"a":["${"ö".repeat(5)}",[1,2,3]],"b":{"c":"${"b".repeat(9)}"}}`);
  for (let at = 0; at < intact.length; at++) {
    for (const byte of [0xff, 0x80, 0xed]) { // 0xed 0xa0 would begin a surrogate
      const bytes = Uint8Array.from(intact);
      bytes[at] = byte;
      if (decodeUtf8(bytes) !== null) continue;
      for (let piece = 1; piece < intact.length; piece++) assertSame(bytes, piece);
    }
  }
});

test("jsonFileParsing() reports the first fault of a file that is neither JSON nor UTF-8", () => {
  const bytes = encodeUtf8(`[[1,,2],"${"b".repeat(40)}"]`);
  bytes[45] = 0xff;
  const read = runAtOnce(jsonFileParsing("f.json", bytes, 4));
  assert.match(read.ok ? "" : read.error.message, /not JSON at line 1, column 5: found ","/);
});

test("jsonFileParsing() reads 1,000 levels, and refuses a text with more levels than it follows", () => {
  const nested = (levels: number) => encodeUtf8(`${"[".repeat(levels)}${"]".repeat(levels)}`);
  assertSame(nested(1_000), 100);
  const read = runAtOnce(jsonFileParsing("f.json", nested(5_000), 100));
  assert.match(read.ok ? "" : read.error.message, /more than 500 levels/);
});

test("jsonFileParsing() yields after each piece, also in the text of a refused file", () => {
  const items = Array.from({ length: 5_000 }, (_, n) => ({ name: `Thing ${n}`, at: [n, n] }));
  for (const end of ["", "x"]) {
    const bytes = encodeUtf8(JSON.stringify({ schema: 1, items }) + end);
    let turns = 0;
    const work = jsonFileParsing("f.json", bytes, 4_096);
    for (let step = work.next(); step.done !== true; step = work.next()) turns++;
    const least = Math.floor(bytes.length / 4_096);
    assert.ok(turns >= least, `${turns} turns, expected at least ${least}`);
  }
});
