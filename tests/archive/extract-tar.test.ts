import { test } from "node:test";
import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { tarEntries } from "../../lib/archive/tar-entries.ts";
import { concatBytes } from "../../lib/core/bytes.ts";
import { withFolder } from "../support/folder.ts";
import { DAMAGED, said, tarOf, treeOf, unpackInto } from "../support/archives.ts";

// Tars and gzip files written byte by byte, so that every field can lie.

test("extract() refuses gzip members one after the other, whatever they hold", async () => {
  const tar = await tarOf(DAMAGED);
  for (
    const parts of [
      [tar, tar],
      [tar.subarray(0, 20_480), tar.subarray(20_480)],
      [tar, new Uint8Array(512)],
    ]
  ) {
    const bytes = new Uint8Array(Buffer.concat(parts.map((part) => gzipSync(part))));
    assert.match(await said("tar.gz", bytes), /its gzip data|bytes after its end/);
  }
});

test("tarEntries() reads what lies within a larger buffer", async () => {
  const packed = new Uint8Array([1, 2, 3, ...gzipSync(await tarOf(DAMAGED))]);
  const readRange = (_path: string, at: number, length: number) =>
    Promise.resolve(packed.subarray(3 + at, 3 + at + length));
  const source = { files: { readRange }, path: "a.tar.gz", size: packed.length - 3 };
  const names: string[] = [];
  for await (const { name } of tarEntries(source)) names.push(name);
  assert.deepEqual(names, DAMAGED.map(({ name }) => name));
});

for (
  const [what, change, message] of [
    ["is no tar", () => new TextEncoder().encode("text\n".repeat(1_000)), /tar is damaged/],
    [
      "has no end",
      (tar: Uint8Array) => tar.subarray(0, -1024),
      /tar is damaged .*found an early end, expected two blocks/,
    ],
    [
      "has half an end",
      (tar: Uint8Array) => tar.subarray(0, -512),
      /tar is damaged .*found an early end, expected two blocks/,
    ],
    [
      "goes on after its end",
      (tar: Uint8Array) => new Uint8Array(Buffer.concat([tar, tar])),
      /tar is damaged .*bytes after its end, expected zeros/,
    ],
    [
      "has a header with another sum",
      (tar: Uint8Array) => tar.map((byte, i) => i === 1_024 ? byte ^ 1 : byte),
      /^"a" is where reading stopped: the tar is damaged .*checksum/,
    ],
  ] as const
) {
  test(`extract() of a tar.gz that ${what} says so`, async () => {
    const tar = change(await tarOf(DAMAGED));
    assert.match(await said("tar.gz", gzipSync(tar)), message);
  });
}

/** What stands in a header; the rest is zeros. */
interface Header {
  readonly name?: string | Uint8Array;
  readonly type?: string;
  readonly size?: string;
  readonly mode?: string;
  readonly target?: string;
  /** Default POSIX's. */
  readonly magic?: string;
  readonly prefix?: string;
  readonly body?: string | Uint8Array;
}

const bytesOf = (text: string | Uint8Array) =>
  typeof text === "string" ? Uint8Array.from(text, (char) => char.charCodeAt(0)) : text;

/** A header with a right sum, its body, and the padding. */
function block(header: Header): Uint8Array {
  const { name = "f", type = "0", body = "", magic = "ustar\u000000" } = header;
  const data = bytesOf(body);
  const bytes = new Uint8Array(512);
  const size = header.size ?? data.length.toString(8).padStart(11, "0");
  for (
    const [at, text] of [
      [0, name],
      [100, header.mode ?? "0000644\0"],
      [124, size],
      [148, " ".repeat(8)],
      [156, type],
      [157, header.target ?? ""],
      [257, magic],
      [345, header.prefix ?? ""],
    ] as const
  ) bytes.set(bytesOf(text), at);
  const sum = bytes.reduce((all, byte) => all + byte, 0);
  bytes.set(bytesOf(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
  return concatBytes([bytes, data, new Uint8Array(-data.length & 511)]);
}

const archive = (...headers: readonly Header[]) =>
  gzipSync(concatBytes([...headers.map(block), new Uint8Array(1024)]));

/** A pax record: its length counts its own digits. */
function pax(text: string): string {
  let length = text.length + 2;
  while (String(length).length + text.length + 2 !== length) length++;
  return `${length} ${text}\n`;
}

const FILE: Header = { name: "a", body: "abc" };

for (const type of ["S", "7", "V", "M", "D", "N", "A", "X", "Z", "\u0001", "8", " ", "\u00ff"]) {
  test(`extract() of a tar.gz refuses an entry of the type ${JSON.stringify(type)}`, async () => {
    const message = await said("tar.gz", archive(FILE, { name: "b", type, body: "text" }));
    assert.match(message, /^"b" is (a sparse file, expected|of the type ".+", expected a file)/);
  });
}

for (
  const [what, headers, message] of [
    [
      "a folder with bytes",
      [{ name: "d/", type: "5", body: "x" }],
      /^"d\/" is a folder that holds 1 bytes, expected none/,
    ],
    [
      "a file with a folder's name",
      [{ name: "d/", body: "x" }],
      /^"d\/" is a folder that holds 1 bytes, expected none/,
    ],
    [
      "a link with bytes",
      [{ ...FILE, type: "2", target: "b" }],
      /^"a" is a link that holds 3 bytes, expected none/,
    ],
    [
      "a size that is no number",
      [FILE, { size: "12x" }],
      /^"a" is where reading stopped: the tar .*size or mode is not a number/,
    ],
    ["a negative size", [{ size: "\u00ff".repeat(12) }], /size or mode is not a number/],
    [
      "a size beyond 2^53",
      [{ size: `\u0080${"\u00ff".repeat(11)}` }],
      /size or mode is not a number/,
    ],
    ["a mode that is no number", [{ mode: "rwxr-xr\0" }], /size or mode is not a number/],
    ["a name that is not UTF-8", [{ name: Uint8Array.of(0xff) }], /name that is not UTF-8/],
    [
      "sparse files of POSIX",
      [{ type: "x", body: pax("GNU.sparse.major=1") }, FILE],
      /^"a" is a sparse file/,
    ],
    ["a size of attributes", [{ type: "x", body: pax("size=-1") }, FILE], /^"a" has a size that/],
    ["attributes of no lines", [{ type: "x", body: "text" }, FILE], /^"a" has attributes that/],
    ["attributes that are cut off", [{ type: "x", body: "99 path=b\n" }, FILE], /^"a" has attr/],
    ["attributes without a value", [{ type: "x", body: "8 path\n" }, FILE], /^"a" has attributes/],
    ["a path that is not UTF-8", [{ type: "x", body: pax("path=\u00ff") }, FILE], /not UTF-8/],
    ["a path that leads out", [{ type: "x", body: pax("path=../b") }, FILE], /'\.\.' segment/],
    ["a long name that leads out", [{ type: "L", body: "../b\0" }, FILE], /'\.\.' segment/],
    [
      "one path for all",
      [{ type: "g", body: pax("path=b") }, FILE],
      /for all entries, expected for one each/,
    ],
    [
      "attributes of nothing",
      [FILE, { type: "x", body: pax("path=b") }],
      /attributes at its end, expected an entry/,
    ],
    [
      "attributes twice",
      [{ type: "x", body: pax("path=b") }, { type: "x", body: pax("path=c") }, FILE],
      /attributes of one kind twice, expected once/,
    ],
    ["attributes of a gigabyte", [{ type: "x", size: "10000000000" }], /attributes of 1073741824/],
    ["a body that is not there", [{ size: "00000010000" }], /found an early end/],
  ] as const satisfies readonly (readonly [string, readonly Header[], RegExp])[]
) {
  test(`extract() of a tar.gz refuses ${what}`, async () => {
    assert.match(await said("tar.gz", archive(...headers)), message);
  });
}

for (
  const [what, headers, tree] of [
    ["a file of before POSIX", [{ ...FILE, type: "\0", magic: "" }], { "a": "- abc" }],
    ["a folder of before POSIX", [{ name: "d/", magic: "" }, FILE], {
      "a": "- abc",
      "d": "folder",
    }],
    ["a name in two parts", [{ ...FILE, prefix: "d" }], { "d": "folder", "d/a": "- abc" }],
    ["times of GNU where POSIX has a name", [
      { ...FILE, magic: "ustar  ", prefix: "12345670" },
    ], { "a": "- abc" }],
    ["a size in bytes", [{ ...FILE, size: `\u0080${"\0".repeat(10)}\u0003` }], { "a": "- abc" }],
    ["a size with spaces", [{ ...FILE, size: "         3 \0" }], { "a": "- abc" }],
    ["a comment for all", [{ type: "g", body: pax("comment=1") }, FILE], { "a": "- abc" }],
    ["a size in attributes", [
      { type: "x", body: pax("size=3") + pax("mtime=1.5") + pax("SCHILY.xattr.x=\u00ff\n") },
      { ...FILE, size: "0" },
    ], { "a": "- abc" }],
    ["POSIX's name before GNU's", [
      { type: "L", body: "gnu\0" },
      { type: "x", body: pax("path=posix") },
      FILE,
    ], { "posix": "- abc" }],
  ] as const satisfies readonly (readonly [string, readonly Header[], Record<string, string>])[]
) {
  test(`extract() of a tar.gz takes ${what}`, () =>
    withFolder(async (folder) => {
      const result = await unpackInto(folder, "tar.gz", archive(...headers));
      assert.ok(result.ok, JSON.stringify(result));
      assert.deepEqual(treeOf(join(folder, "in")), tree);
    }));
}
