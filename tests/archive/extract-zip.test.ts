import { test } from "node:test";
import assert from "node:assert/strict";
import {
  buildZip,
  bytesOf,
  extraField,
  type HostileZip,
  joined,
  u16,
  u32,
  u64,
  unicodePath,
  ZIP64,
} from "../support/hostile-zips.ts";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "../support/folder.ts";
import { said, unpackInto } from "../support/archives.ts";

// Zips written byte by byte, so that every field can lie.

for (
  const [what, zip, message] of [
    [
      "a name that is not UTF-8, and says so",
      { entries: [{ name: Uint8Array.of(0x66, 0xfc) }] },
      /has a name that is not UTF-8/,
    ],
    ["an encrypted entry", { entries: [{ name: "a", both: { flags: 0x801 } }] }, /is encrypted/],
    ["a method of its own", { entries: [{ name: "a", method: 12 }] }, /compressed by method 12/],
    [
      "a control character of code page 437",
      { entries: [{ name: Uint8Array.of(0x66, 0xfc, 7), both: { flags: 0 } }] },
      /has a control character/,
    ],
    [
      "another name in its header",
      { entries: [{ name: "a", local: { name: "b" } }] },
      /^"a" has a header that names another file/,
    ],
    [
      "no header where it should be",
      { entries: [{ name: "a", body: "a", offset: 3 }] },
      /something stands before its first entry/,
    ],
    [
      "a wrong CRC",
      { entries: [{ name: "a", body: "abc", both: { crc: 1 } }] },
      /^"a" is damaged, or has another CRC/,
    ],
    [
      "a wrong CRC of a stored file",
      { entries: [{ name: "a", body: "abc", method: 0, both: { crc: 1 } }] },
      /^"a" is damaged, or has another CRC/,
    ],
    [
      "more bytes than it says",
      { entries: [{ name: "a", body: "abcdef", both: { size: 3 } }] },
      /^"a" (has more bytes, expected the 3|is damaged)/,
    ],
    [
      "fewer bytes than it says",
      { entries: [{ name: "a", body: "abc", both: { size: 5 } }] },
      /^"a" (has 3 bytes, expected the 5|is damaged)/,
    ],
    [
      "a folder with bytes",
      { entries: [{ name: "a/", body: "x", attributes: 0 }] },
      /is a folder that holds 1 bytes, expected none/,
    ],
    [
      "a link that is called a folder",
      { entries: [{ name: "a/", body: "x", attributes: 0o120777 * 2 ** 16 }] },
      /is a folder by its name or by its attributes alone/,
    ],
    [
      "a link to what is no text",
      { entries: [{ name: "a", body: Uint8Array.of(0xff), attributes: 0o120777 * 2 ** 16 }] },
      /is a link to what is not UTF-8/,
    ],
    [
      "a link to nothing",
      { entries: [{ name: "a", body: "", attributes: 0o120777 * 2 ** 16 }] },
      /is a link to nothing/,
    ],
  ] as const
) {
  test(`extract() of a zip refuses ${what}`, async () => {
    assert.match(await said("zip", buildZip(zip)), message);
  });
}

test("extract() of a zip takes a name in UTF-8 that is not flagged, and stored files", async () => {
  for (const size of [0, 3, 32_768, 100_000]) {
    const body = Uint8Array.from({ length: size }, (_, i) => i % 251);
    const zip = buildZip({ entries: [{ name: "ü/x", method: 0, body, both: { flags: 0 } }] });
    assert.equal(await said("zip", zip), "", String(size));
  }
});

const A = { name: "a", body: "abc" };
const B = { name: "b", body: "defg" };
const PAIR = [A, B];
const HONEST = buildZip({ entries: PAIR });
const ONES = { entries: ZIP64.short, directorySize: ZIP64.long, directoryOffset: ZIP64.long };
const pair = (b: Partial<HostileZip["entries"][number]>): HostileZip => ({
  entries: [A, { ...B, ...b }],
});

/** Archives that two readers could take for different ones, or that lie of their places. */
const DIRECTORIES: readonly (readonly [string, HostileZip | Uint8Array<ArrayBuffer>, RegExp])[] = [
  [
    "bytes before the first entry",
    { entries: PAIR, prefix: bytesOf("#!/bin/sh\n") },
    /bytes were inserted/,
  ],
  [
    "bytes before the first entry that the offsets count",
    { entries: [{ name: "hidden", hidden: true }, A] },
    /something stands before its first entry/,
  ],
  [
    "bytes before the end record",
    { entries: PAIR, gap: new Uint8Array(40) },
    /bytes were inserted/,
  ],
  ["bytes after the end", { entries: PAIR, suffix: Uint8Array.of(0) }, /something follows/],
  ["another archive behind", { entries: PAIR, suffix: HONEST }, /another place/],
  ["a comment that is an archive", { entries: PAIR, comment: HONEST }, /more than one end/],
  [
    "a comment that says it is an end",
    { entries: PAIR, comment: joined([u32(0x06054b50), new Uint8Array(30)]) },
    /something follows/,
  ],
  ["a comment that is shorter than said", { entries: PAIR, end: { commentLength: 9 } }, /missing/],
  ["a comment that is longer than said", joined([HONEST, u16(0)]), /something follows/],
  [
    "one entry fewer than there are",
    { entries: PAIR, end: { entries: 1, diskEntries: 1 } },
    /more/,
  ],
  [
    "one entry more than there are",
    { entries: PAIR, end: { entries: 3, diskEntries: 3 } },
    /declares 3 entries in 94/,
  ],
  ["no entries of the two", { entries: PAIR, end: { entries: 0, diskEntries: 0 } }, /more than/],
  ["60,000 entries", { entries: PAIR, end: { entries: 6e4, diskEntries: 6e4 } }, /declares 60000/],
  ["entries on two disks", { entries: PAIR, end: { diskEntries: 1 } }, /a split archive/],
  ["a second disk", { entries: PAIR, end: { disk: 1, directoryDisk: 1 } }, /a split archive/],
  ["a directory on another disk", { entries: PAIR, end: { directoryDisk: 1 } }, /split archive/],
  ...[0, 1, 0x7fffffff, ZIP64.long].map((directoryOffset) =>
    [
      `a directory at ${directoryOffset}`,
      { entries: PAIR, end: { directoryOffset } },
      /place/,
    ] as const
  ),
  ...[1, 100, 0xfffffff0, ZIP64.long].map((directorySize) =>
    [`a directory of ${directorySize}`, { entries: PAIR, end: { directorySize } }, /place/] as const
  ),
  [
    "an end record in every place",
    joined(
      Array.from(
        { length: 3_000 },
        (_, i) => joined([u32(0x06054b50), u16(0, 0, 1, 1), u32(4, i), u16((2_999 - i) * 22)]),
      ),
    ),
    /more than one end/,
  ],
  [
    "a second record that is none",
    HONEST.map((byte, at) => at === HONEST.length - 22 - 47 ? byte ^ 1 : byte),
    /it holds 1 entries, expected 2/,
  ],
  [
    "a last record that is cut short",
    HONEST.map((byte, at) => at === HONEST.length - 22 - 47 + 28 ? 2 : byte),
    /its last record is cut short/,
  ],
  ["two entries in one place", pair({ offset: 0 }), /two of its entries are in one place/],
  [
    "an entry inside the data of another",
    {
      entries: [
        { name: "outer", method: 0, body: HONEST },
        { name: "a", body: "abc", offset: 30 + "outer".length },
      ],
    },
    /^"outer" reaches into the entry that follows it/,
  ],
  ["an entry that reaches into the directory", {
    entries: [A, { ...B, method: 0, both: { compressedSize: 40, size: 40 } }],
  }, /^"b" reaches into the entry that follows it, or into the directory/],
  ["an entry in the directory", pair({ offset: HONEST.length - 22 - 47 }), /^"b" has no header/],
  ["an entry beyond the end", pair({ offset: 1e6 }), /^"b" has no header/],
  ["another method in its header", pair({ local: { method: 0 } }), /^"b" has a header that names/],
  ["another CRC in its header", pair({ local: { crc: 1 } }), /^"b" has a header that names/],
  ["another size in its header", pair({ local: { size: 1 } }), /^"b" has a header that names/],
  ["encryption in its header", pair({ local: { flags: 0x801 } }), /^"b" has a header that names/],
  ["sizes after it, by the header alone", pair({ local: { flags: 0x808 } }), /^"b" has a header/],
  [
    "another name for those who read extra fields",
    pair({ both: { extra: unicodePath("b", "../b") } }),
    /^"b" has another name in its extra fields/,
  ],
  ["an entry of another disk", pair({ disk: 1 }), /^"b" lies in part 1 of a split archive/],
  ["a folder of DOS that is called a file", pair({ attributes: 0x10 }), /^"b" is a folder by/],
  [
    "zip64 sizes without their field",
    pair({ both: { size: ZIP64.long, compressedSize: ZIP64.long } }),
    /^"b" has no zip64 field/,
  ],
  [
    "two zip64 fields",
    pair({
      both: {
        size: ZIP64.long,
        extra: joined([extraField(1, u64(4n)), extraField(1, u64(5n))]),
      },
    }),
    /^"b" has an extra field twice/,
  ],
  ...[2n ** 53n, 2n ** 63n, 2n ** 64n - 1n].map((size) =>
    [
      `a zip64 entry of ${size} bytes`,
      pair({ both: { size: ZIP64.long, extra: extraField(1, u64(size)) } }),
      /^"b" declares \d+ bytes, expected less than 2\^53/,
    ] as const
  ),
  [
    "a zip64 entry of a terabyte",
    pair({ both: { size: ZIP64.long, extra: extraField(1, u64(2n ** 40n)) } }),
    /^"b" has 1099511627776 bytes, expected at most/,
  ],
  [
    "a zip64 entry at 2^52",
    pair({ offset: ZIP64.long, central: { extra: extraField(1, u64(2n ** 52n)) } }),
    /^"b" has no header/,
  ],
  ...([
    ["entries", 2n ** 40n],
    ["entries", 2n ** 64n - 1n],
    ["entries", 1n],
    ["directorySize", 2n ** 63n],
    ["directoryOffset", 2n ** 52n],
    ["directoryOffset", 2n ** 64n - 1n],
    ["at", 0n],
    ["at", 2n ** 64n - 1n],
  ] as const).map(([field, value]) =>
    [
      `a zip64 end record whose ${field} is ${value}`,
      { entries: PAIR, end: { ...ONES, diskEntries: ZIP64.short }, zip64: { [field]: value } },
      /directory cannot be read/,
    ] as const
  ),
  [
    "a zip64 end record beside one that says otherwise",
    { entries: PAIR, end: { directoryOffset: ZIP64.long }, zip64: { entries: 3n } },
    /two end records describe different directories/,
  ],
];

for (const [what, zip, message] of DIRECTORIES) {
  test(`extract() of a zip refuses ${what}`, async () => {
    assert.match(await said("zip", zip instanceof Uint8Array ? zip : buildZip(zip)), message);
  });
}

for (
  const [what, zip, names] of [
    ["a comment", { entries: PAIR, comment: bytesOf("built by CI") }, ["a", "b"]],
    ["the longest comment", { entries: PAIR, comment: new Uint8Array(0xffff) }, ["a", "b"]],
    ["sizes after the data", { entries: PAIR.map((e) => ({ ...e, descriptor: true as const })) }, [
      "a",
      "b",
    ]],
    ["attributes of DOS", pair({ madeBy: 0x14, attributes: 0x20 }), ["a", "b"]],
    ["names of code page 437", {
      entries: [{ name: Uint8Array.of(0x66, 0x81, 0xe1), both: { flags: 0 } }],
    }, ["füß"]],
    ["a name that its extra field repeats", {
      entries: [{ name: "ü", both: { flags: 0, extra: unicodePath("ü", "ü") } }],
    }, ["ü"]],
    ["extra fields that end in padding", pair({ both: { extra: Uint8Array.of(0, 0, 0) } }), [
      "a",
      "b",
    ]],
    ["a zip64 entry", {
      entries: [
        A,
        {
          ...B,
          method: 0,
          both: { size: ZIP64.long, compressedSize: ZIP64.long, extra: extraField(1, u64(4n, 4n)) },
        },
      ],
    }, ["a", "b"]],
    ["a zip64 end record", {
      entries: PAIR,
      end: { ...ONES, diskEntries: ZIP64.short },
      zip64: {},
    }, ["a", "b"]],
    ["a zip64 end record that was not needed", { entries: PAIR, zip64: {} }, ["a", "b"]],
  ] as const satisfies readonly (readonly [string, HostileZip, readonly string[]])[]
) {
  test(`extract() of a zip takes ${what}`, () =>
    withFolder(async (folder) => {
      const result = await unpackInto(folder, "zip", buildZip(zip));
      assert.ok(result.ok, JSON.stringify(result));
      assert.deepEqual(readdirSync(join(folder, "in")).sort(), names);
    }));
}
