import assert from "node:assert/strict";
import { test } from "node:test";
import { zipEntries } from "../../lib/archive/zip-entries.ts";
import type { ZipRules } from "../../lib/archive/zip-rules.ts";
import {
  buildZip,
  extraField,
  type HostileEntry,
  type HostileZip,
  joined,
  u32,
  u64,
  unicodePath,
  ZIP64,
} from "../support/hostile-zips.ts";
import { runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";

// One reader, under the rules of both its callers: what each takes, and what neither does.

const CALLERS: Readonly<Record<"bundle" | "tool", ZipRules>> = {
  bundle: { kinds: ["file"], maxEntries: 3, unflaggedNames: "refused", brokenEnd: "taken" },
  tool: {
    kinds: ["file", "directory", "symlink"],
    maxEntries: 1_000,
    unflaggedNames: "read",
    brokenEnd: "refused",
  },
};

/** Every entry with its bytes in latin1, or why the archive is refused. */
async function read(bytes: Uint8Array<ArrayBuffer>, rules: ZipRules): Promise<string[] | string> {
  const files = {
    readRange: (_path: string, at: number, length: number) =>
      Promise.resolve(bytes.slice(at, at + length)),
  };
  const found: string[] = [];
  try {
    for await (const entry of zipEntries({ files, path: "a.zip", size: bytes.length }, rules)) {
      const chunks: Uint8Array[] = [];
      if (entry.kind === "file") { for await (const chunk of entry.open()) chunks.push(chunk); }
      const body = Buffer.concat(chunks).toString("latin1");
      found.push(`${entry.kind} ${entry.name} ${entry.target}${body}`);
    }
    return found;
  } catch (thrown) {
    assert.equal((thrown as Error).name, "ArchiveError", String(thrown));
    return (thrown as Error).message;
  }
}

const A: HostileEntry = { name: "a", body: "abc" };
const B: HostileEntry = { name: "b", body: "defg" };
const pair = (b: Partial<HostileEntry>, zip: Partial<HostileZip> = {}): HostileZip => ({
  entries: [A, { ...B, ...b }],
  ...zip,
});
const link = 0o120777 * 2 ** 16;

/** A list is what is found, an expression what a refusal says. The tool's is the bundle's when absent. */
const ROWS: readonly (readonly [string, HostileZip, string[] | RegExp, (string[] | RegExp)?])[] = [
  ["two files", pair({}), ["file a abc", "file b defg"]],
  ["stored files", pair({ method: 0 }), ["file a abc", "file b defg"]],
  ["sizes after the data", pair({ descriptor: true }), ["file a abc", "file b defg"]],
  [
    "a folder",
    pair({ name: "b/", body: "", attributes: 0 }),
    /^"b\/" is a folder, expected files$/,
    [
      "file a abc",
      "directory b/ ",
    ],
  ],
  ["a link", pair({ body: "a", attributes: link }), /^"b" is a symbolic link, expected files$/, [
    "file a abc",
    "symlink b a",
  ]],
  [
    "a pipe",
    pair({ attributes: 0o010644 * 2 ** 16 }),
    /^"b" is a device or a pipe, expected files/,
  ],
  ["too many entries", { entries: ["a", "b", "c", "d"].map((name) => ({ name })) }, /at most 3$/, [
    ...["a", "b", "c", "d"].map((name) => `file ${name} `),
  ]],
  [
    "a name that is not flagged as UTF-8",
    pair({ name: "ü", both: { flags: 0 } }),
    /^"ü" has another name for other readers: it is not flagged as UTF-8, expected that/,
    ["file a abc", "file ü defg"],
  ],
  [
    "a comment that is cut short",
    pair({}, { end: { commentLength: 9 } }),
    ["file a abc", "file b defg"],
    /comment is cut short: 9 bytes are missing, expected all/,
  ],
  [
    "a zip64 locator that points nowhere",
    pair({}, { end: { directoryOffset: ZIP64.long }, zip64: { at: 2n ** 52n } }),
    ["file a abc", "file b defg"],
    /zip64 locator points to 4503599627370496, expected the record right before it/,
  ],
  [
    "another name in the local header",
    pair({ local: { name: "c" } }),
    /^"b" has a header that names another file than the directory, expected the same name/,
  ],
  [
    "another name in the extra fields of the local header alone",
    pair({ local: { extra: unicodePath("b", "../b") } }),
    /^"b" has another name in its extra fields \("\.\.\/b"\), expected the same$/,
  ],
  [
    "a name that is UTF-8 in the directory alone",
    pair({ local: { flags: 0 } }),
    /^"b" has a header that names another file/,
  ],
  [
    "strong encryption in the local header alone",
    pair({ local: { flags: 0x840 } }),
    /^"b" has a header that names another file than the directory, expected the same name, flags/,
  ],
  [
    "another deflate level in the local header alone",
    pair({ local: { flags: 0x806 } }),
    ["file a abc", "file b defg"],
  ],
  [
    "an end record of zip64 that nothing asks for",
    pair({}, { zip64: {} }),
    ["file a abc", "file b defg"],
  ],
  [
    "an end record of zip64 with another directory",
    pair({}, { zip64: { entries: 1n } }),
    /its two end records describe different directories, expected the same/,
  ],
  [
    "another size after the data",
    pair({ descriptor: { size: 5 } }),
    /^"b" has other sizes or another CRC after its data than the directory, or none, expected/,
  ],
  [
    "another CRC after the data",
    pair({ descriptor: { crc: 5 } }),
    /^"b" has other sizes or another CRC after its data/,
  ],
  [
    "no sizes after the data, where they are announced",
    pair({ both: { flags: 0x808 }, local: { crc: 0, size: 0, compressedSize: 0 } }),
    /^"b" has other sizes or another CRC after its data/,
  ],
  [
    "a wrong CRC",
    pair({ both: { crc: 1 } }),
    /^"b" is damaged.*, expected 4 bytes with the CRC 0{7}1$/,
  ],
  [
    "fewer bytes",
    pair({ both: { size: 9 } }),
    /^"b" (has 4 bytes|is damaged).*, expected (the )?9/,
  ],
  [
    "more bytes",
    pair({ both: { size: 1 } }),
    /^"b" (has \w+ bytes|is damaged).*, expected (the )?1/,
  ],
  [
    "encryption",
    pair({ both: { flags: 0x801 } }),
    /^"b" is encrypted or patched: .*, expected none/,
  ],
  [
    "a method of its own",
    pair({ both: { method: 12 } }),
    /^"b" is compressed by method 12, expected 0/,
  ],
  [
    "an entry in another's place",
    pair({ offset: 0 }),
    /two of its entries are in one place, expected/,
  ],
  [
    "bytes after the end",
    pair({}, { suffix: u32(0) }),
    /something follows its end: 4 bytes, expected/,
  ],
  [
    "bytes before the entries",
    pair({}, { prefix: u32(0) }),
    /or bytes were inserted: .*, expected/,
  ],
  [
    "a split archive",
    pair({}, { end: { disk: 1, directoryDisk: 1 } }),
    /split archive, expected one/,
  ],
  [
    "an entry of another part",
    pair({ disk: 1 }),
    /^"b" lies in part 1 of a split archive, expected/,
  ],
  [
    "two zip64 fields",
    pair({
      both: {
        size: ZIP64.long,
        extra: joined([extraField(1, u64(4n)), extraField(1, u64(5n))]),
      },
    }),
    /^"b" has an extra field twice, expected it once$/,
  ],
];

for (const [title, zip, bundle, tool = bundle] of ROWS) {
  test(`zipEntries() of ${title}`, async () => {
    for (const [caller, expected] of [["bundle", bundle], ["tool", tool]] as const) {
      const found = await read(buildZip(zip), CALLERS[caller]);
      if (expected instanceof RegExp) assert.match(String(found), expected, caller);
      else assert.deepEqual(found, expected, caller);
      if (typeof found === "string") assert.match(found, /, expected |, at most /, caller);
    }
  });
}

test("zipEntries() of a damaged archive: both callers find the same, or one refuses it", async () => {
  const seed = runSeed();
  const { below } = seededRandom(seed);
  const originals = ROWS.map(([, zip]) => buildZip(zip));
  let taken = 0;
  for (let round = 1; round <= rounds(300, 10_000); round++) {
    const zip = Uint8Array.from(originals[below(originals.length)] ?? []);
    for (let flips = below(3); flips > 0; flips--) {
      const at = below(zip.length);
      zip[at] = below(3) === 0 ? below(256) : (zip[at] ?? 0) ^ 1 << below(8);
    }
    const [bundle, tool] = [await read(zip, CALLERS.bundle), await read(zip, CALLERS.tool)];
    if (typeof bundle === "string" || typeof tool === "string") continue;
    assert.deepEqual(bundle, tool, `SLIPWAY_SEED=${seed}, round ${round}`);
    taken++;
  }
  assert.ok(taken > 0, "no archive was taken");
});
