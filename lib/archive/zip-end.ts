import { viewOf } from "../core/bytes.ts";
import { ArchiveError } from "./entry.ts";
import type { ZipBlocks } from "./zip-blocks.ts";
import type { ZipRules } from "./zip-rules.ts";

/** The place of a zip's directory. */
export interface ZipDirectory {
  /** The start of its first record. */
  readonly at: number;
  /** The end of its last record. */
  readonly end: number;
  /** The number of records. */
  readonly records: number;
}

/** The shortest record of the directory. */
const RECORD_BYTES = 46;

// The end of a zip (APPNOTE.TXT 6.3.10 §4.3.14 to §4.3.16):
// zip64 record:  0 signature, 4 bytes that follow (8), 16 disk, 20 directory's disk,
//                24 entries on disk (8), 32 entries (8), 40 directory's size (8), 48 its offset (8)
// zip64 locator: 0 signature, 4 disk, 8 offset of the zip64 record (8), 16 disks
// end record:    0 signature, 4 disk (2), 6 directory's disk (2), 8 entries on disk (2),
//                10 entries (2), 12 directory's size, 16 its offset, 20 length of the comment (2)
const ZIP64_BYTES = 56;
const LOCATOR_BYTES = 20;
const END_BYTES = 22;
const MAX_COMMENT = 0xffff;
/** The range before the end of a zip that may contain an end record, in bytes. */
export const END_SEARCH_BYTES: number = END_BYTES + MAX_COMMENT;

/** One end record. */
interface End {
  /** The start of the record, where the directory ends. */
  readonly from: number;
  readonly onDisk: number;
  readonly entries: number;
  readonly size: number;
  readonly offset: number;
}

/**
 * Finds the directory. It must end where the end records begin, and these at the file's end: with
 * any bytes between or after them, two readers may choose different directories.
 *
 * @param size Bytes of the archive.
 * @throws {ArchiveError} Without an entry.
 */
export async function findDirectory(
  blocks: ZipBlocks,
  size: number,
  rules: ZipRules,
): Promise<ZipDirectory> {
  const short = await shortEnd(blocks, size, rules);
  const long = await longEnd(blocks, short.from, rules);
  if (long !== null && !sameEnd(short, long)) {
    throw unreadable("its two end records describe different directories, expected the same");
  }
  const { from, onDisk, entries, size: bytes, offset } = long ?? short;
  if (onDisk !== entries) throw unreadable(SPLIT);
  if (offset + bytes !== from) {
    throw unreadable(
      `its end record points to another place, or bytes were inserted: it declares ` +
        `${bytes} bytes at ${offset}, expected them to end at ${from}`,
    );
  }
  const fit = Math.min(rules.maxEntries, Math.floor(bytes / RECORD_BYTES));
  if (entries > fit) {
    throw unreadable(
      `its end record declares ${entries} entries in ${bytes} bytes, expected at most ${fit}`,
    );
  }
  return { at: offset, end: from, records: entries };
}

const SPLIT = "it is one part of a split archive, expected one whole file";

/** A directory that cannot be read, as opposed to one of its entries. */
export function unreadable(why: string): ArchiveError {
  return new ArchiveError(null, `the zip's directory cannot be read: ${why}`);
}

async function shortEnd(
  blocks: ZipBlocks,
  size: number,
  { brokenEnd }: ZipRules,
): Promise<End> {
  const base = Math.max(size - END_SEARCH_BYTES, 0);
  const view = viewOf(await blocks.read(base, size - base));
  let found = -1;
  for (let at = view.byteLength - END_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) !== 0x06054b50) continue;
    const beyond = at + END_BYTES + view.getUint16(at + 20, true) - view.byteLength;
    if (found !== -1) {
      if (beyond === 0) throw unreadable("it has more than one end record, expected one");
      continue;
    }
    if (beyond < 0) {
      throw unreadable(`something follows its end: ${-beyond} bytes, expected none`);
    }
    if (beyond > 0 && brokenEnd === "refused") {
      throw unreadable(`its comment is cut short: ${beyond} bytes are missing, expected all`);
    }
    found = at;
  }
  if (found === -1) {
    throw unreadable("it has no end record, expected a zip: it is something else, or cut short");
  }
  const disk = view.getUint16(found + 4, true);
  if ((disk !== 0 && disk !== 0xffff) || view.getUint16(found + 6, true) !== disk) {
    throw unreadable(SPLIT);
  }
  return {
    from: base + found,
    onDisk: view.getUint16(found + 8, true),
    entries: view.getUint16(found + 10, true),
    size: view.getUint32(found + 12, true),
    offset: view.getUint32(found + 16, true),
  };
}

/** Reads the zip64 end record, `null` if there is none. Its numbers must fit the file's size. */
async function longEnd(
  blocks: ZipBlocks,
  endAt: number,
  { brokenEnd }: ZipRules,
): Promise<End | null> {
  const locator = viewOf(await blocks.read(endAt - LOCATOR_BYTES, LOCATOR_BYTES));
  if (locator.byteLength < LOCATOR_BYTES || locator.getUint32(0, true) !== 0x07064b50) return null;
  const from = endAt - LOCATOR_BYTES - ZIP64_BYTES;
  const declared = numberAt(locator, 8);
  const leadsBeyond = declared > endAt && Number.isSafeInteger(declared);
  const exists = declared === from || (leadsBeyond && brokenEnd === "taken");
  const view = viewOf(exists ? await blocks.read(from, ZIP64_BYTES) : new Uint8Array());
  if (view.byteLength < ZIP64_BYTES || view.getUint32(0, true) !== 0x06064b50) {
    throw unreadable(
      `its zip64 locator points to ${declared}, expected the record right before it, at ${from}`,
    );
  }
  const plain = numberAt(view, 4) === ZIP64_BYTES - 12 && locator.getUint32(4, true) === 0 &&
    locator.getUint32(16, true) <= 1 && view.getUint32(16, true) === 0 &&
    view.getUint32(20, true) === 0;
  if (!plain) {
    throw unreadable(
      "its zip64 record is of an unknown kind, or of a split archive, expected a plain one",
    );
  }
  return {
    from,
    onDisk: numberAt(view, 24),
    entries: numberAt(view, 32),
    size: numberAt(view, 40),
    offset: numberAt(view, 48),
  };
}

/**
 * Compares the two end records: a number that does not fit into the short one is all ones there;
 * the others are equal.
 */
function sameEnd(short: End, long: End): boolean {
  const same = (small: number, large: number, ones: number) => small === ones || small === large;
  return same(short.onDisk, long.onDisk, 0xffff) && same(short.entries, long.entries, 0xffff) &&
    same(short.size, long.size, 0xffffffff) && same(short.offset, long.offset, 0xffffffff);
}

/** A number of eight bytes; past 2^53 not exact, and larger than any file. */
function numberAt(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}
