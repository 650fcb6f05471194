import assert from "node:assert/strict";
import { test } from "node:test";
import { zipEntries } from "../../lib/archive/zip-entries.ts";
import { zipForward } from "../../lib/archive/zip-forward.ts";
import type { ZipRules } from "../../lib/archive/zip-rules.ts";
import {
  buildZip,
  extraField,
  type HostileEntry,
  type HostileZip,
  joined,
  u16,
  u32,
  u64,
  ZIP64,
} from "../support/hostile-zips.ts";
import { runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";

// What is read while it comes in is what the directory says, or it is refused; never something else.

const RULES: ZipRules = {
  kinds: ["file"],
  maxEntries: 3,
  unflaggedNames: "refused",
  brokenEnd: "taken",
};

type Found = string[] | string;

async function failureOf(found: string[], walk: () => Promise<void>): Promise<Found> {
  try {
    await walk();
    return found.sort();
  } catch (thrown) {
    assert.equal((thrown as Error).name, "ArchiveError", String((thrown as Error).stack));
    return (thrown as Error).message;
  }
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString("latin1");
}

/** What the directory says, or why it is refused. */
async function byDirectory(bytes: Uint8Array<ArrayBuffer>): Promise<Found> {
  const files = {
    readRange: (_path: string, at: number, length: number) =>
      Promise.resolve(bytes.slice(at, at + length)),
  };
  const found: string[] = [];
  return await failureOf(found, async () => {
    for await (const entry of zipEntries({ files, path: "a.zip", size: bytes.length }, RULES)) {
      found.push(`${entry.name} ${await textOf(entry.open())}`);
    }
  });
}

/** What comes in, in chunks of that size. */
async function forward(
  bytes: Uint8Array<ArrayBuffer>,
  { chunk = 7, opens = true }: { readonly chunk?: number; readonly opens?: boolean } = {},
): Promise<Found> {
  const found: string[] = [];
  return await failureOf(found, async () => {
    const source = { bytes: chunksOf(bytes, chunk), size: bytes.length, from: 0 };
    for await (const entry of zipForward(source, RULES)) {
      found.push(`${entry.name} ${opens ? await textOf(entry.open()) : ""}`);
    }
  });
}

async function* chunksOf(
  bytes: Uint8Array<ArrayBuffer>,
  size: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
  await Promise.resolve();
}

const A: HostileEntry = { name: "a", body: "abc" };
const B: HostileEntry = { name: "b", body: "defg".repeat(99) };
const zipOf = (b: Partial<HostileEntry>, zip: Partial<HostileZip> = {}): HostileZip => ({
  entries: [A, { ...B, ...b }],
  ...zip,
});

/** What the directory makes of them is in zip-entries.test.ts. */
const ROWS: readonly (readonly [string, HostileZip, RegExp | null])[] = [
  ["two files", zipOf({}), null],
  ["stored files", zipOf({ method: 0 }), null],
  ["empty files", zipOf({ body: "" }), null],
  ["no entries", { entries: [] }, null],
  ["a comment", zipOf({}, { comment: new Uint8Array(70) }), null],
  ["a comment that is cut short", zipOf({}, { end: { commentLength: 9 } }), null],
  ["an end record of zip64", zipOf({}, { zip64: {} }), null],
  ["as many entries as may be", { entries: [A, B, { name: "c" }] }, null],
  ["one entry more", { entries: [A, B, { name: "c" }, { name: "d" }] }, /more than 3 entries$/],
  ["sizes after the data", zipOf({ descriptor: true }), /^"b" has its sizes elsewhere, expected/],
  [
    "sizes in zip64 fields",
    zipOf({
      both: { size: ZIP64.long, compressedSize: ZIP64.long, extra: extraField(1, u64(396n, 9n)) },
    }),
    /^"b" has its sizes elsewhere, expected/,
  ],
  ["a folder", zipOf({ name: "b/", body: "", attributes: 0 }), /^"b\/" is a folder, expected/],
  ["a link", zipOf({ attributes: 0o120777 * 2 ** 16 }), /^"b" is a symbolic link, expected/],
  ["another method", zipOf({ both: { method: 9 } }), /^"b" is compressed by method 9, expected/],
  ["another name in the header", zipOf({ local: { name: "c" } }), /^"b" has a header that names/],
  ["an entry that the directory lacks", zipOf({ hidden: true }), /names 1 entries, it has 2$/],
  ["an entry in another's place", zipOf({ offset: 0 }), /two of its entries are in one place/],
  ["an entry at the directory", zipOf({ offset: 459 }), /leads to where no entry begins|no header/],
  ["a wrong CRC", zipOf({ both: { crc: 1 } }), /^"b" is damaged/],
  ["a size beyond the end", zipOf({ both: { compressedSize: 9_999 } }), /^"b" ends at 10/],
  ["bytes before it", zipOf({}, { prefix: u32(0) }), /^at 0 it has other bytes than an entry/],
  ["bytes behind it", zipOf({}, { suffix: u32(0) }), /something follows its end/],
  ["two end records", zipOf({}, { comment: buildZip({ entries: [] }) }), /one end record/],
];

for (const [title, zip, refused] of ROWS) {
  test(`zipForward() of ${title}`, async () => {
    const bytes = buildZip(zip);
    for (const chunk of [1, 7, 5_000]) {
      const found = await forward(bytes, { chunk });
      if (refused === null) assert.deepEqual(found, await byDirectory(bytes), `chunks of ${chunk}`);
      else assert.match(String(found), refused);
    }
  });
}

test("zipForward() finds a second end record in the data of a file, as its directory does", async () => {
  const comment = u16(46 + "a".length + 22); // to the end of the archive
  const fake = joined([buildZip({ entries: [] }).subarray(0, 20), comment]);
  const body = joined([new Uint8Array(60_000), fake]);
  const bytes = buildZip({ entries: [{ name: "a", method: 0, body }] });
  for (const found of [await forward(bytes, { chunk: 100 }), await byDirectory(bytes)]) {
    assert.match(String(found), /more than one end record/);
  }
});

test("zipForward() passes over what nobody opens, and reads to the end", async () => {
  const bytes = buildZip(zipOf({ method: 0 }));
  assert.deepEqual(await forward(bytes, { opens: false }), ["a ", "b "]);
});

test("zipForward() of bytes that come in one by one copies each a few times, and keeps few pieces", async () => {
  const bytes = buildZip({ entries: [{ ...A, method: 0, body: "a".repeat(20_000) }] });
  const { set } = Uint8Array.prototype;
  let copied = 0;
  Uint8Array.prototype.set = function (from, at) {
    copied += from.length;
    set.call(this, from, at);
  };
  let reads = 0;
  const onRead = () => Promise.resolve(void reads++);
  try {
    const source = { bytes: chunksOf(bytes, 1), size: bytes.length, from: 0, onRead };
    for await (const entry of zipForward(source, RULES)) await textOf(entry.open());
  } finally {
    Uint8Array.prototype.set = set;
  }
  assert.ok(copied < 6 * bytes.length, `${copied} of ${bytes.length} bytes`);
  assert.ok(reads < 10, `${reads} pieces`);
});

test("zipForward() of an archive that is cut off anywhere refuses it", async () => {
  const bytes = buildZip(zipOf({}));
  for (let length = 0; length < bytes.length; length++) {
    const found: string[] = [];
    const source = { bytes: chunksOf(bytes.slice(0, length), 50), size: bytes.length, from: 0 };
    const refused = await failureOf(found, async () => {
      for await (const entry of zipForward(source, RULES)) await textOf(entry.open());
    });
    assert.equal(typeof refused, "string", `${length} bytes`);
  }
});

test("zipForward() goes on from any entry with the headers of those before", async () => {
  const bytes = buildZip({ entries: [A, B, { name: "c", method: 0, body: "hij" }] });
  const headers: Uint8Array[] = [];
  const ends: number[] = [];
  const complete = { bytes: chunksOf(bytes, 64), size: bytes.length, from: 0 };
  for await (const { header, end } of zipForward(complete, RULES)) {
    headers.push(header);
    ends.push(end);
  }
  for (const [i, from] of ends.entries()) {
    const rest = joined([...headers.slice(0, i + 1), bytes.slice(from)]);
    const source = { bytes: chunksOf(rest, 33), size: bytes.length, from };
    const found: string[] = [];
    // Only where the end record is looked for has to be there as a whole.
    const read = failureOf(found, async () => {
      for await (const entry of zipForward(source, RULES)) {
        found.push(`${entry.name} ${entry.isPassed ? "passed" : await textOf(entry.open())}`);
      }
    });
    const names = ["a passed", `b ${i < 1 ? B.body : "passed"}`, `c ${i < 2 ? "hij" : "passed"}`];
    const outcome = await read;
    if (typeof outcome !== "string") assert.deepEqual(outcome, names);
    else assert.match(outcome, /leads to where no entry begins/);
  }
});

test("zipForward() takes no damaged archive that its directory refuses, nor reads it otherwise", async () => {
  const seed = runSeed();
  const { below, next } = seededRandom(seed);
  const originals = ROWS.flatMap(([, zip, refused]) => refused === null ? [buildZip(zip)] : []);
  let taken = 0;
  for (let round = 1; round <= rounds(600, 20_000); round++) {
    let zip = Uint8Array.from(originals[below(originals.length)] ?? []);
    for (let change = below(3); change >= 0; change--) zip = mutate(zip);
    const said = `SLIPWAY_SEED=${seed}, round ${round}: ${Buffer.from(zip).toString("base64")}`;
    const found = await forward(zip, { chunk: 1 + below(200) });
    if (typeof found === "string") continue;
    assert.deepEqual(found, await byDirectory(zip), said);
    taken++;
  }
  assert.ok(taken > 0, "no archive was taken");

  function mutate(zip: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    if (zip.length === 0) return zip;
    const at = below(zip.length);
    if (next() < 0.7) {
      zip[at] = next() < 0.5 ? (zip[at] ?? 0) ^ 1 << below(8) : below(256);
      return zip;
    }
    if (next() < 0.2) return zip.slice(0, at);
    const from = below(zip.length);
    const piece = zip.slice(from, from + below(40)); // moved, doubled or cut out
    return joined([zip.slice(0, at), piece, zip.slice(at + (next() < 0.5 ? piece.length : 0))]);
  }
});
