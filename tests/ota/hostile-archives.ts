import assert from "node:assert/strict";
import type { StageFailureCode } from "../../lib/ota-format/native.ts";
import {
  buildZip,
  bytesOf,
  crc32,
  extraField,
  type HostileEntry,
  type HostileZip,
  joined,
  u16,
  u32,
  u64,
  unicodePath,
  ZIP64,
  type ZipHeader,
} from "../support/hostile-zips.ts";
import type { Tree } from "../support/ota-world.ts";

// Archives that no publisher writes: their bytes also stand in vectors/archive.

const PAGE = "<h1>one</h1>";
/** What the manifest names. */
export const FILES: Tree = { "index.html": PAGE, "a/game.js": "play(1)", "sky.png": "blue" };

function entriesOf(files: Tree): HostileEntry[] {
  return Object.entries(files).map(([name, body]) => ({ name, body }));
}

const ENTRIES = entriesOf(FILES);
/** An archive as it should be. */
export const HONEST = buildZip({ entries: ENTRIES });

/** The honest archive with its first entry, `index.html`, told otherwise. */
export function first(change: Partial<HostileEntry>, zip: Partial<HostileZip> = {}): HostileZip {
  const [page, ...rest] = ENTRIES;
  assert.ok(page);
  return { entries: [{ ...page, ...change }, ...rest], ...zip };
}

/** The honest archive, and one entry more. */
function and(...more: readonly HostileEntry[]): HostileZip {
  return { entries: [...ENTRIES, ...more] };
}

const end = (over: HostileZip["end"]): HostileZip => ({ entries: ENTRIES, end: over ?? {} });
/** With a header of five bytes, 32 KiB: as much as is handed to an inflater at once. */
const NOISE = Uint8Array.from({ length: 32 * 1024 - 5 }, (_, i) => i * i % 251);
/** What unpacks to much more than it is. */
export const ZEROS = new Uint8Array(10_000_000);

/** An archive that is refused. */
export interface Row {
  readonly name: string;
  /** Its bytes, or how they are built. */
  readonly zip: HostileZip | Uint8Array<ArrayBuffer>;
  /** What the manifest names; default {@linkcode FILES}. */
  readonly files?: Tree;
  /** Default `archive`. */
  readonly code?: StageFailureCode;
  /** How it is told. */
  readonly detail: RegExp;
}

const sizes: readonly Row[] = [
  {
    name: "a size that is larger than the truth and the manifest",
    zip: first({ both: { size: 13 } }),
    code: "size-mismatch",
    detail: /"index\.html" has 13 bytes, expected 12/,
  },
  {
    name: "a size that is smaller than the truth and the manifest",
    zip: first({ both: { size: 11 } }),
    code: "size-mismatch",
    detail: /"index\.html" has 11 bytes, expected 12/,
  },
  {
    name: "fewer bytes than archive and manifest say",
    zip: first({ body: PAGE.slice(1), both: { size: 12 } }),
    detail: /"index\.html" (has|is damaged)/,
  },
  {
    name: "fewer stored bytes than archive and manifest say",
    zip: first({ method: 0, body: PAGE.slice(1), both: { size: 12 } }),
    detail: /"index\.html" (has \w+ bytes|is damaged)/,
  },
  {
    name: "a bomb of 10 MB, said to have the 12 bytes of the manifest",
    zip: first({ body: ZEROS, both: { size: 12 } }),
    detail: /"index\.html" (has \w+ bytes|is damaged)/,
  },
  {
    name: "a bomb of 10 MB, stored, said to have the 12 bytes of the manifest",
    zip: first({ method: 0, body: ZEROS, both: { size: 12 } }),
    detail: /"index\.html" (has \w+ bytes|is damaged)/,
  },
  {
    name: "a bomb of 1000:1 that admits its size",
    zip: first({ body: ZEROS }),
    code: "size-mismatch",
    detail: /"index\.html" has 10000000 bytes, expected 12/,
  },
  {
    name: "a wrong CRC over the right content",
    zip: first({ both: { crc: 1 } }),
    detail: /"index\.html".*CRC/,
  },
  {
    name: "another content of the same size",
    zip: first({ body: PAGE.replace("one", "bad") }),
    code: "hash-mismatch",
    detail: /^index\.html has SHA-256/,
  },
  {
    name: "a compressed size that is too small",
    zip: first({ both: { compressedSize: 5 } }),
    detail: /"index\.html" is damaged/,
  },
  {
    name: "a compressed size that reaches into the next entry",
    zip: first({ both: { compressedSize: 30 } }),
    detail: /"index\.html" reaches into the entry that follows it/,
  },
  {
    name: "a compressed size of 4 GB",
    zip: first({ both: { compressedSize: 0xfffffffe } }),
    detail: /"index\.html" reaches into/,
  },
  {
    name: "data that is no deflate stream",
    zip: first({ packed: new Uint8Array(20).fill(0xff) }),
    detail: /"index\.html" is damaged/,
  },
  {
    name: "a deflate stream with bytes after its end",
    zip: first({ packed: joined([HONEST.subarray(40, 54), new Uint8Array(9)]) }),
    detail: /"index\.html" is damaged/,
  },
  {
    name: "a file that ends one byte into the next entry, with the CRC of that",
    zip: first({ method: 0, both: sharing(`${PAGE}P`) }),
    files: { ...FILES, "index.html": `${PAGE}P` },
    detail: /"index\.html" reaches into the entry that follows it/,
  },
  {
    name: "a deflate stream that ends where a reader's piece does, with bytes after it",
    zip: first({ body: NOISE, packed: joined([stored(NOISE), new Uint8Array(9)]) }),
    files: { ...FILES, "index.html": NOISE },
    detail: /"index\.html" is damaged/,
  },
];

/** What both headers say of an entry with that body, whatever follows them. */
function sharing(body: string): Partial<ZipHeader> {
  const { length } = body;
  return { crc: crc32(bytesOf(body)), compressedSize: length, size: length };
}

/** A deflate stream of one stored block (RFC 1951 §3.2.4). */
function stored(body: Uint8Array): Uint8Array {
  return joined([Uint8Array.of(1), u16(body.length, ~body.length & 0xffff), body]);
}

const SLIPS = [
  "../evil.js",
  "..\\evil.js",
  "a/../../evil.js",
  "a/../evil.js",
  "/evil.js",
  "/etc/passwd",
  "\\evil.js",
  "\\\\host\\share\\evil.js",
  "//host/evil.js",
  "C:\\evil.js",
  "C:/evil.js",
  "C:evil.js",
  "C:",
  "a/C:/evil.js",
  "./evil.js",
  "a/./b.js",
  "a//b.js",
  "a/..",
  "..",
  ".",
  "",
  " ",
  "evil\0.js",
  "index.html\0.png",
  "evil\u0001.js",
  "evil\u0085.js",
  "evil.js.",
  "evil.js ",
  "...",
  ".. /evil.js",
  "index.html.",
  "index.html ",
  "index.html::$DATA",
  "%2e%2e/evil.js",
  "%2e%2e%2fevil.js",
  "..%5cevil.js",
  "\uff0e\uff0e/evil.js",
  "\u2025/evil.js",
  "..\u2215evil.js",
  "\u202eevil.js",
  "\ufeffindex.html",
  "a".repeat(513),
  "a".repeat(65_000),
];

const names: readonly Row[] = [
  ...SLIPS.map((name): Row => ({
    name: `the entry ${JSON.stringify(name.slice(0, 40))}`,
    zip: and({ name, body: "evil" }),
    detail: /bundle\.zip/,
  })),
  {
    name: "a name that is no UTF-8",
    zip: and({ name: Uint8Array.of(0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x61), body: "evil" }),
    detail: /name that is not UTF-8/,
  },
  {
    name: "a name in an old code page",
    zip: and({ name: Uint8Array.of(0x61, 0x82), both: { flags: 0 }, body: "evil" }),
    detail: /"aé".*other readers/,
  },
  {
    name: "another name in the Info-ZIP field",
    zip: first({
      both: { flags: 0, extra: unicodePath("index.html", "../evil.html") },
    }),
    detail: /"index\.html" has another name in its extra fields \("\.\.\/evil\.html"\)/,
  },
  {
    name: "the right name in the Info-ZIP field alone",
    zip: first({
      name: "evil.html",
      both: { flags: 0, extra: unicodePath("evil.html", "index.html") },
    }),
    detail: /"evil\.html" has another name in its extra fields \("index\.html"\)/,
  },
  {
    name: "another name in the local header",
    zip: first({ local: { name: "../../evil" } }),
    detail: /"index\.html" has a header that names another file/,
  },
  {
    name: "an entry twice",
    zip: and({ name: "index.html", body: PAGE }),
    detail: /"index\.html".*twice/,
  },
  {
    name: "an entry that differs in case",
    zip: and({ name: "INDEX.html", body: PAGE }),
    detail: /"INDEX\.html".*does not name/,
  },
  {
    name: "an entry in the other normal form",
    zip: { entries: entriesOf({ ...FILES, "cafe\u0301.js": "x" }) },
    files: { ...FILES, "caf\u00e9.js": "x" },
    detail: /"cafe\u0301\.js".*does not name/,
  },
  {
    name: "a file that is also a folder",
    zip: and({ name: "index.html/evil.js", body: "evil" }),
    detail: /"index\.html\/evil\.js".*does not name/,
  },
  { name: "a file below none", zip: and({ name: "new.js" }), detail: /"new\.js".*does not name/ },
  { name: "no page", zip: { entries: ENTRIES.slice(1) }, detail: /lacks "index\.html"/ },
];

const kinds: readonly Row[] = [
  { name: "a folder", zip: and({ name: "b/", method: 0 }), detail: /"b\/" is a folder/ },
  {
    name: "a folder that is a file of the manifest by name",
    zip: first({ name: "index.html/" }),
    detail: /"index\.html\/" is a folder/,
  },
  {
    name: "a folder by its mode",
    zip: first({ attributes: 0o040755 * 2 ** 16 }),
    detail: /"index\.html" is a folder/,
  },
  {
    name: "a folder by its DOS attribute",
    zip: first({ madeBy: 0x14, attributes: 0x10 }),
    detail: /"index\.html" is a folder/,
  },
  ...([["a symbolic link", 0o12], ["a pipe", 0o01], ["a device", 0o06]] as const)
    .map(([name, type]): Row => ({
      name: `${name} whose text is the right content`,
      zip: first({ attributes: (type << 12 | 0o777) * 2 ** 16 }),
      detail: /"index\.html" is a (symbolic link|device or a pipe), expected files;/,
    })),
  {
    name: "a symbolic link of a system that is not Unix",
    zip: first({ madeBy: 0x14, attributes: 0o120777 * 2 ** 16 }),
    detail: /"index\.html" is a (symbolic link|device or a pipe), expected files;/,
  },
  {
    name: "an encrypted entry",
    zip: first({ both: { flags: 0x801 } }),
    detail: /"index\.html" is encrypted/,
  },
  {
    name: "an entry encrypted by AES",
    zip: first({
      both: {
        flags: 0x801,
        method: 99,
        extra: extraField(0x9901, joined([u16(2), bytesOf("AE"), Uint8Array.of(3), u16(8)])),
      },
    }),
    detail: /"index\.html" is encrypted/,
  },
  ...[0x40, 0x41, 0x20, 0x2000].map((flag): Row => ({
    name: `an entry with the flag 0x${flag.toString(16)}`,
    zip: first({ both: { flags: 0x800 | flag } }),
    detail: /"index\.html" is encrypted or patched/,
  })),
  ...[1, 6, 9, 12, 14, 93, 95, 98, 0xffff].map((method): Row => ({
    name: `the compression method ${method}`,
    zip: first({ both: { method } }),
    detail: /"index\.html".*method/,
  })),
  {
    name: "an entry on another disk",
    zip: first({ disk: 1 }),
    detail: /"index\.html".*split/,
  },
];

const headers: readonly Row[] = [
  ...([
    ["size", { size: 10 }],
    ["compressed size", { compressedSize: 1 }],
    ["CRC", { crc: 7 }],
    ["method", { method: 0 }],
    ["flags", { flags: 0 }],
    ["encryption", { flags: 0x801 }],
  ] as const).map(([what, local]): Row => ({
    name: `another ${what} in the local header`,
    zip: first({ local }),
    detail: /"index\.html" has a header that names another file/,
  })),
  {
    name: "sizes after the data which differ",
    zip: first({ descriptor: { size: 99 } }),
    detail: /"index\.html" has other sizes or another CRC after its data/,
  },
  {
    name: "a CRC after the data which differs",
    zip: first({ descriptor: { crc: 99 } }),
    detail: /"index\.html" has other sizes or another CRC after its data/,
  },
  {
    name: "sizes after the data, announced in the local header alone",
    zip: first({ descriptor: true, central: { flags: 0x800 } }),
    detail: /"index\.html" has a header that names another file/,
  },
  {
    name: "sizes after the data, announced and missing",
    zip: first({ both: { flags: 0x808 }, local: { crc: 0, size: 0, compressedSize: 0 } }),
    detail: /after its data than the directory, or none/,
  },
  {
    name: "an entry over the one before",
    zip: and({ name: "evil.js", body: PAGE, offset: 0 }),
    files: { ...FILES, "evil.js": PAGE },
    detail: /two of its entries are in one place/,
  },
  {
    name: "an entry inside the data of another",
    zip: {
      entries: [
        ...ENTRIES.slice(1),
        { name: "outer.js", method: 0, body: HONEST },
        { name: "index.html", body: PAGE, offset: 139 },
      ],
    },
    files: { ...FILES, "outer.js": HONEST },
    detail: /"outer\.js" reaches into the entry that follows it/,
  },
  ...[0xfffffff0, 1_000_000, 1, HONEST.length - 22].map((offset): Row => ({
    name: `an entry at ${offset}`,
    zip: first({ offset }),
    detail: /cannot be read/,
  })),
  {
    name: "a zip64 entry without its field",
    zip: first({ both: { size: ZIP64.long, compressedSize: ZIP64.long } }),
    detail: /"index\.html" has no zip64 field/,
  },
  ...[2n ** 40n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n].map((size): Row => ({
    name: `a zip64 entry of ${size} bytes`,
    zip: first({
      both: {
        size: ZIP64.long,
        compressedSize: ZIP64.long,
        extra: extraField(1, u64(size, size)),
      },
    }),
    code: size < 2n ** 53n ? "size-mismatch" : "archive",
    detail: /1099511627776 bytes|declares \d+ bytes/,
  })),
  {
    name: "a zip64 entry at 2^52",
    zip: first({ offset: ZIP64.long, central: { extra: extraField(1, u64(2n ** 52n)) } }),
    detail: /something stands before its first entry/,
  },
];

const BLANK = new Uint8Array();
const DIRECTORY_AT = HONEST.length - 22 -
  ENTRIES.reduce((sum, { name }) => sum + 46 + name.length, 0);

const ends: readonly Row[] = [
  { name: "no entries", zip: { entries: [] }, detail: /lacks|cannot be read/ },
  { name: "no bytes but the end record", zip: HONEST.slice(-22), detail: /cannot be read/ },
  { name: "an empty file", zip: BLANK, detail: /cannot be read/ },
  {
    name: "a page of HTML",
    zip: new Uint8Array(bytesOf("<!doctype html><title>Sign in</title><p>to go on")),
    detail: /no end record, expected a zip/,
  },
  { name: "zeros", zip: new Uint8Array(70_000), detail: /cannot be read/ },
  { name: "an end record in every place", zip: endless(), detail: /cannot be read/ },
  { name: "one entry fewer than there are", zip: end({ entries: 2 }), detail: /cannot be read/ },
  { name: "one entry more than there are", zip: end({ entries: 4 }), detail: /cannot be read/ },
  { name: "no entries of the three", zip: end({ entries: 0 }), detail: /cannot be read/ },
  { name: "65,535 entries", zip: end({ entries: 65_535 }), detail: /cannot be read/ },
  {
    name: "an entry that only the local headers know",
    zip: first({ hidden: true }),
    detail: /cannot be read|lacks/,
  },
  ...[1, 100, 0xfffffff0, ZIP64.long].map((directorySize): Row => ({
    name: `a directory of ${directorySize} bytes`,
    zip: end({ directorySize }),
    detail: /cannot be read/,
  })),
  ...[0, 1, 0x7fffffff, 0xfffffff0, ZIP64.long].map((directoryOffset): Row => ({
    name: `a directory at ${directoryOffset}`,
    zip: end({ directoryOffset }),
    detail: /cannot be read/,
  })),
  {
    name: "an end record that is one of a split archive",
    zip: end({ disk: 1, directoryDisk: 1 }),
    detail: /split archive/,
  },
  { name: "a last disk of 65,534", zip: end({ disk: 65_534 }), detail: /split archive/ },
  {
    name: "bytes before the first entry",
    zip: { entries: ENTRIES, prefix: bytesOf("#!/bin/sh\n") },
    detail: /bytes were inserted/,
  },
  {
    name: "bytes after the end",
    zip: { entries: ENTRIES, suffix: Uint8Array.of(0) },
    detail: /cannot be read/,
  },
  {
    name: "bytes before the end record",
    zip: { entries: ENTRIES, gap: new Uint8Array(40) },
    detail: /cannot be read/,
  },
  {
    name: "a comment that is another archive",
    zip: { entries: ENTRIES, comment: HONEST },
    detail: /more than one end record/,
  },
  {
    name: "another archive after the end",
    zip: { entries: ENTRIES, suffix: HONEST },
    detail: /cannot be read/,
  },
  ...([
    ["entries", 2n ** 40n],
    ["entries", 2n ** 64n - 1n],
    ["directorySize", 2n ** 40n],
    ["directorySize", 2n ** 63n],
    ["directoryOffset", 2n ** 52n],
    ["directoryOffset", 2n ** 64n - 1n],
    ["at", 2n ** 64n - 1n],
  ] as const).map(([field, value]): Row => ({
    name: `a zip64 end record whose ${field} is ${value}`,
    zip: {
      entries: ENTRIES,
      end: { entries: ZIP64.short, directorySize: ZIP64.long, directoryOffset: ZIP64.long },
      zip64: { [field]: value },
    },
    detail: /cannot be read/,
  })),
  {
    name: "a zip64 end record beside one that says otherwise",
    zip: { entries: ENTRIES, end: { directoryOffset: ZIP64.long }, zip64: { entries: 2n } },
    detail: /cannot be read/,
  },
  // Cut off in every structure.
  ...[1, 4, 29, 35, 41, 50, DIRECTORY_AT, DIRECTORY_AT + 10, DIRECTORY_AT + 50].map((at): Row => ({
    name: `only the first ${at} bytes`,
    zip: HONEST.slice(0, at),
    detail: /cannot be read/,
  })),
  ...[1, 2, 10, 18, 21, 22, 23, 40].map((missing): Row => ({
    name: `all but the last ${missing} bytes`,
    zip: HONEST.slice(0, -missing),
    detail: /cannot be read/,
  })),
  {
    name: "an entry in the middle that only the local headers know",
    zip: { entries: ENTRIES.map((entry, at) => ({ ...entry, hidden: at === 1 })) },
    detail: /lacks "a\/game.js"/,
  },
  {
    name: "two directories of the same files, each with its end record, the second a comment",
    zip: twoDirectories(),
    detail: /more than one end record/,
  },
];

function twoDirectories(): Uint8Array<ArrayBuffer> {
  const directory = HONEST.subarray(DIRECTORY_AT, -22);
  const second = end({ directoryOffset: HONEST.length }); // right where it stands
  const record = buildZip(second).subarray(-22);
  const comment = joined([directory, record]);
  return joined([HONEST.subarray(0, -2), u16(comment.length), comment]);
}

function endless(): Uint8Array<ArrayBuffer> {
  const records = Array.from(
    { length: 3_000 },
    (_, i) => joined([u32(0x06054b50), u16(0, 0, 1, 1), u32(4, i), u16((2_999 - i) * 22)]),
  );
  return joined(records);
}

/** Archives that are taken, odd as some are. */
export const GOOD: readonly { readonly name: string; readonly zip: HostileZip }[] = [
  { name: "deflated entries", zip: { entries: ENTRIES } },
  { name: "stored entries", zip: { entries: ENTRIES.map((entry) => ({ ...entry, method: 0 })) } },
  {
    name: "sizes after the data",
    zip: { entries: ENTRIES.map((entry) => ({ ...entry, descriptor: true })) },
  },
  { name: "another order than the manifest's", zip: { entries: [...ENTRIES].reverse() } },
  {
    name: "attributes of DOS, and flags of how hard it was deflated",
    zip: first({ madeBy: 0x14, attributes: 0x20, both: { flags: 0x806 } }),
  },
  { name: "a comment", zip: { entries: ENTRIES, comment: bytesOf("built by CI") } },
  {
    name: "extra fields of times and owners",
    zip: first({ both: { extra: extraField(0x5455, joined([Uint8Array.of(1), u32(1)])) } }),
  },
  {
    name: "a zip64 entry",
    zip: first({
      method: 0,
      both: {
        size: ZIP64.long,
        compressedSize: ZIP64.long,
        extra: extraField(1, u64(12n, 12n)),
      },
    }),
  },
  // Broken where nothing depends on it: the library finds its way, and the hashes decide.
  {
    name: "an extra field that is cut off",
    zip: first({ both: { extra: Uint8Array.of(1, 0, 200) } }),
  },
  { name: "a comment that is shorter than said", zip: end({ commentLength: 10 }) },
  {
    name: "a zip64 locator that points nowhere",
    zip: { entries: ENTRIES, end: { directoryOffset: ZIP64.long }, zip64: { at: 2n ** 52n } },
  },
  {
    name: "a zip64 end record",
    zip: {
      entries: ENTRIES,
      end: { entries: ZIP64.short, directorySize: ZIP64.long, directoryOffset: ZIP64.long },
      zip64: {},
    },
  },
];

/** Every archive that is refused, by what it lies about. */
export const REFUSED: Readonly<Record<string, readonly Row[]>> = {
  sizes,
  names,
  kinds,
  headers,
  ends,
};

/** The bytes of an archive. */
export function zipOf(zip: HostileZip | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return zip instanceof Uint8Array ? zip : buildZip(zip);
}
