import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { FileError } from "../../lib/core/file-error.ts";
import { createDevice } from "../support/device-under-test.ts";
import { StageError } from "../../lib/ota-device/transfer.ts";
import { ArchiveError, streamOf } from "../../lib/archive/mod.ts";
import { bundleFiles } from "../../lib/ota-device/bundle-zip.ts";
import { type Manifest, serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { StageFailureCode, StageResult } from "../../lib/ota-format/native.ts";
import { SCHEMA } from "../../lib/ota-format/release.ts";
import type { Files } from "../../lib/ports/files.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import {
  buildZip,
  bytesOf,
  extraField,
  type HostileEntry,
  type HostileZip,
  joined,
  u16,
  u32,
  u64,
  unicodePath,
  ZIP64,
} from "../support/hostile-zips.ts";
import { runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import type { Tree } from "../support/ota-world.ts";

// Whoever writes the zip also signs its hash here: what the archive's own records say is all that
// stands between a lie and the disk.

const PAGE = "<h1>one</h1>";
const FILES: Tree = { "index.html": PAGE, "a/game.js": "play(1)", "sky.png": "blue" };

interface Staging {
  readonly result: StageResult;
  /** Lengths that were asked of the archive on disk. */
  readonly reads: readonly number[];
}

/** Stages a version that consists of `files`, from that archive, in `folder/phone`. */
async function stage(
  folder: string,
  { files = FILES, zip, version = "v1" }: {
    readonly files?: Tree;
    readonly zip: Uint8Array<ArrayBuffer>;
    readonly version?: string;
  },
): Promise<Staging> {
  const runtime = await loadRuntime();
  const reads: number[] = [];
  const device = createDevice({
    ...runtime,
    files: {
      ...runtime.files,
      readRange(path, offset, length) {
        reads.push(length);
        return runtime.files.readRange(path, offset, length);
      },
    },
    fetch: () => Promise.resolve(new Response(zip)),
    root: join(folder, "phone"),
  });
  const manifest: Manifest = {
    schema: SCHEMA,
    name: "shell",
    version,
    engineApi: 1,
    files: Object.fromEntries(
      Object.entries(files).map(([path, content]) => [path, refOf(bytesOf(content))]),
    ),
    bundleZip: refOf(zip),
  };
  const result = await device.stageUpdate({
    name: "shell",
    version,
    manifest: serializeManifest(manifest),
    zipUrl: "https://cdn.example/bundle.zip",
  });
  return { result, reads };
}

function refOf(bytes: Uint8Array): { hash: string; size: number } {
  return { hash: createHash("sha256").update(bytes).digest("hex"), size: bytes.length };
}

/** All files below a folder, and the folders that hold none. */
function everything(folder: string, prefix = ""): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(join(folder, prefix), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = `${prefix}${entry.name}`;
    const below = entry.isDirectory() ? everything(folder, `${path}/`) : [];
    return below.length > 0 ? below : [path];
  });
}

function entriesOf(files: Tree): HostileEntry[] {
  return Object.entries(files).map(([name, body]) => ({ name, body }));
}

const ENTRIES = entriesOf(FILES);
const HONEST = buildZip({ entries: ENTRIES });

/** The honest archive with its first entry, `index.html`, told otherwise. */
function first(change: Partial<HostileEntry>, zip: Partial<HostileZip> = {}): HostileZip {
  const [page, ...rest] = ENTRIES;
  assert.ok(page);
  return { entries: [{ ...page, ...change }, ...rest], ...zip };
}

/** The honest archive, and one entry more. */
function and(...more: readonly HostileEntry[]): HostileZip {
  return { entries: [...ENTRIES, ...more] };
}

const end = (over: HostileZip["end"]): HostileZip => ({ entries: ENTRIES, end: over ?? {} });
const ZEROS = new Uint8Array(10_000_000);

interface Row {
  readonly name: string;
  readonly zip: HostileZip | Uint8Array<ArrayBuffer>;
  /** What the manifest names; default {@linkcode FILES}. */
  readonly files?: Tree;
  /** Default `archive`. */
  readonly code?: StageFailureCode;
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
];

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
];

function endless(): Uint8Array<ArrayBuffer> {
  const records = Array.from(
    { length: 3_000 },
    (_, i) => joined([u32(0x06054b50), u16(0, 0, 1, 1), u32(4, i), u16((2_999 - i) * 22)]),
  );
  return joined(records);
}

for (
  const { name, zip, files, code = "archive", detail } of [
    ...sizes,
    ...names,
    ...kinds,
    ...headers,
    ...ends,
  ]
) {
  // DEV-12
  test(`unzip refuses ${name}: ${code}`, () =>
    withFolder(async (folder) => {
      const bytes = zip instanceof Uint8Array ? zip : buildZip(zip);
      const { result, reads } = await stage(folder, { zip: bytes, ...(files && { files }) });
      assert.ok(!result.ok, "it was staged");
      assert.deepEqual([result.code, detail.test(result.detail)], [code, true], result.detail);
      assert.ok(result.detail.length < 500, `${result.detail.length} characters`);
      assert.deepEqual(everything(folder), ["phone/.partial", "phone/.staging"], "nothing is left");
      assert.ok(reads.every((length) => length <= bytes.length), `it read ${Math.max(...reads)}`);
      const read = reads.reduce((sum, length) => sum + length, 0);
      assert.ok(read <= 100 * bytes.length, `it read ${read} bytes of ${bytes.length}`);
    }));
}

const GOOD: readonly { readonly name: string; readonly zip: HostileZip }[] = [
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

for (const { name, zip } of GOOD) {
  test(`unzip takes ${name}`, () =>
    withFolder(async (folder) => {
      const { result } = await stage(folder, { zip: buildZip(zip) });
      assert.deepEqual(result, { ok: true });
      for (const [path, content] of Object.entries(FILES)) {
        assert.equal(readFileSync(join(folder, "phone/shell/v1", path), "utf8"), content);
      }
    }));
}

test("unzip refuses a directory larger than that of the most files, before it is in memory", () =>
  withFolder(async (folder) => {
    const path = join(folder, "bundle.zip");
    const bytes = joined([new Uint8Array(21_000_000), HONEST.slice(-22)]);
    bytes.set(u32(20_900_000, 100_000), bytes.length - 10);
    bytes.set(u32(0x02014b50), 100_000);
    writeFileSync(path, bytes);
    const { files } = await loadRuntime();
    await assert.rejects(walk(files, path), {
      name: "ArchiveError",
      message: /it holds 1 entries, expected 3/,
    });
  }));

test("archiveFiles() tells a disk that fails from a broken archive", () =>
  withFolder(async (folder) => {
    const path = join(folder, "bundle.zip");
    writeFileSync(path, HONEST);
    const { files } = await loadRuntime();
    for (let failAt = 1;; failAt++) {
      let reads = 0;
      const readRange: Files["readRange"] = (...request) => {
        if (++reads !== failAt) return files.readRange(...request);
        return Promise.reject(new FileError("other", path, "I/O error"));
      };
      const walked = walk({ ...files, readRange }, path);
      if (failAt === 100) assert.fail("it never reads to the end");
      const failed = await walked.then(() => null, (thrown: unknown) => thrown);
      if (failed === null) break;
      assert.ok(failed instanceof FileError, `read ${failAt} of them: ${String(failed)}`);
    }
    const gone = { ...files, readRange: () => Promise.resolve(null) };
    await assert.rejects(walk(gone, path), { code: "missing" });
  }));

/** Reads every file of an archive. */
async function walk(files: Files, path: string): Promise<void> {
  const size = readFileSync(path).length;
  for await (const file of bundleFiles({ files, path, size })) {
    await new Response(streamOf(file.open())).bytes();
  }
}

test("archiveFiles() whose reader stops early ends without a word", () =>
  withFolder(async (folder) => {
    const path = join(folder, "bundle.zip");
    writeFileSync(path, buildZip(first({ body: ZEROS })));
    const { files } = await loadRuntime();
    for await (const file of bundleFiles({ files, path, size: readFileSync(path).length })) {
      const reader = streamOf(file.open()).getReader();
      await reader.read();
      await reader.cancel(new StageError("size-mismatch", "more than enough"));
      break;
    }
  }));

test("unzip of a mutated archive: what the manifest names, or a closed code", () =>
  withFolder(async (folder) => {
    const seed = runSeed();
    const { next, below } = seededRandom(seed);
    const originals = GOOD.map(({ zip }) => buildZip(zip));
    mkdirSync(join(folder, "phone"));
    const outcomes = new Map<string, number>();
    for (let round = 1; round <= rounds(150, 5_000); round++) {
      const original = originals[below(originals.length)] ?? HONEST;
      let zip = Uint8Array.from(original);
      for (let change = below(3); change >= 0; change--) zip = mutate(zip);
      const said = `SLIPWAY_SEED=${seed}, round ${round}: ${Buffer.from(zip).toString("base64")}`;
      const version = `v${round}`;
      const { result } = await stage(folder, { zip, version });
      const staged = join(folder, "phone/shell", version);
      assert.equal(existsSync(staged), result.ok, said);
      if (result.ok) {
        assert.deepEqual(everything(staged).sort(), Object.keys(FILES).sort(), said);
        for (const [path, content] of Object.entries(FILES)) {
          assert.equal(readFileSync(join(staged, path), "utf8"), content, said);
        }
      } else {
        const closed = ["archive", "size-mismatch", "hash-mismatch"].includes(result.code);
        assert.ok(closed, `${said}: ${result.code}: ${result.detail}`);
      }
      for (const left of [".staging", ".partial"]) {
        assert.deepEqual(readdirSync(join(folder, "phone", left)), [], said);
      }
      assert.equal(result.ok, await isTaken(zip), `${said}: its directory says otherwise`);
      const outcome = result.ok ? "staged" : result.code;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    assert.ok((outcomes.get("archive") ?? 0) > 0, "it must have broken something");

    /** Whether its directory leads to the files of the manifest. */
    async function isTaken(zip: Uint8Array<ArrayBuffer>): Promise<boolean> {
      const path = join(folder, "bundle.zip");
      writeFileSync(path, zip);
      const { files } = await loadRuntime();
      const found: Record<string, string> = {};
      try {
        for await (const file of bundleFiles({ files, path, size: zip.length })) {
          if (found[file.name] !== undefined) return false;
          found[file.name] = await new Response(streamOf(file.open())).text();
        }
      } catch (thrown) {
        assert.ok(thrown instanceof ArchiveError, String(thrown));
        return false;
      }
      return isDeepStrictEqual(found, { ...FILES });
    }

    function mutate(zip: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
      const at = below(zip.length);
      if (next() < 0.6) { // a bit, or a byte to one of the values that matter
        const byte = zip[at] ?? 0;
        zip[at] = next() < 0.5 ? byte ^ 1 << below(8) : [0, 1, 0x7f, 0x80, 0xff][below(5)] ?? 0;
        return zip;
      }
      if (next() < 0.3) return zip.slice(0, Math.max(1, at));
      const from = below(zip.length);
      const piece = zip.slice(from, from + below(40)); // moved, doubled or cut out
      return joined([zip.slice(0, at), piece, zip.slice(at + (next() < 0.5 ? piece.length : 0))]);
    }
  }));
