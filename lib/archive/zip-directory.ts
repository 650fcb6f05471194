import { decodeUtf8, viewOf } from "../core/bytes.ts";
import { ArchiveError, type ArchiveSource } from "./entry.ts";
import { ZipBlocks } from "./zip-blocks.ts";
import { findDirectory, unreadable, type ZipDirectory } from "./zip-end.ts";
import type { ZipRules } from "./zip-rules.ts";

/** One record of the directory. Nothing of it was compared with the file that it describes. */
export interface ZipRecord {
  readonly name: string;
  /** The name as it stands in the archive. */
  readonly rawName: Uint8Array;
  /** Bit 0 encrypted, 3 sizes stand after the data, 11 the name is UTF-8. */
  readonly flags: number;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly crc32: number;
  /** Bytes in the archive. */
  readonly packedSize: number;
  /** Bytes that come out. */
  readonly size: number;
  /** Where its local header begins. */
  readonly headerAt: number;
  /** Where the next one begins, or the directory: nothing of this file lies there. */
  readonly nextAt: number;
  /** 0 where the archive is not split. */
  readonly disk: number;
  /** Unix mode in the upper half, those of DOS in the lowest byte. */
  readonly attributes: number;
}

// A record (APPNOTE.TXT 6.3.10 §4.3.12): 0 signature, 4 made by (2), 6 version (2), 8 flags (2),
// 10 method (2), 12 time (2), 14 date (2), 16 CRC, 20 packed size, 24 size, 28 length of the name
// (2), 30 of the extra fields (2), 32 of the comment (2), 34 disk (2), 36 internal attributes (2),
// 38 attributes, 42 offset; then the name, the extra fields, the comment.
const RECORD_BYTES = 46;

/** Extra fields: sizes that do not fit (§4.5.3), and the name in UTF-8 (§4.6.9). */
const ZIP64_FIELD = 0x0001;
const NAME_FIELD = 0x7075;
/** The flag of a name in UTF-8. */
const UTF8 = 0x0800;

/** The characters from 0x80 on in a name that is not UTF-8 (code page 437, APPNOTE §D.1). */
const CP437 = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
  "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

/**
 * Reads the directory of a zip twice: first to see that it is complete and where the files
 * begin, then to hand them on. Of all records only a number each is kept.
 *
 * @throws {ArchiveError} Before the first record, unless it is an entry that is wrong.
 */
export async function* zipRecords(
  source: ArchiveSource,
  rules: ZipRules,
): AsyncGenerator<ZipRecord> {
  const blocks = new ZipBlocks(source); // of its own: the files' bytes are read meanwhile
  const directory = await findDirectory(blocks, source.size, rules);
  const starts = new Float64Array(directory.records);
  let found = 0;
  for await (const { headerAt } of recordsOf(blocks, directory, rules)) starts[found++] = headerAt;
  starts.sort();
  if (found > 0 && starts[0] !== 0) {
    throw unreadable(
      `something stands before its first entry: that is at ${starts[0]}, expected at 0`,
    );
  }
  if (starts.some((start, i) => start === starts[i + 1])) {
    throw unreadable("two of its entries are in one place, expected one each");
  }
  for await (const record of recordsOf(blocks, directory, rules)) {
    yield { ...record, nextAt: firstAfter(starts, record.headerAt) ?? directory.at };
  }
}

async function* recordsOf(
  blocks: ZipBlocks,
  { at: from, end, records }: ZipDirectory,
  rules: ZipRules,
): AsyncGenerator<Omit<ZipRecord, "nextAt">> {
  let at = from;
  for (let i = 0; i < records; i++) {
    const head = viewOf(await blocks.read(at, RECORD_BYTES));
    if (at + RECORD_BYTES > end || head.getUint32(0, true) !== 0x02014b50) {
      throw unreadable(`it holds ${i} entries, expected ${records}`);
    }
    const nameLength = head.getUint16(28, true);
    const extraLength = head.getUint16(30, true);
    const length = RECORD_BYTES + nameLength + extraLength + head.getUint16(32, true);
    if (at + length > end) {
      throw unreadable("its last record is cut short, expected it to end before the end record");
    }
    const rest = (await blocks.read(at, length)).subarray(RECORD_BYTES);
    at += length;
    const extraEnd = nameLength + extraLength;
    const rawName = rest.subarray(0, nameLength);
    yield recordOf(head, { rawName, extra: rest.subarray(nameLength, extraEnd) }, rules);
  }
  if (at !== end) {
    throw unreadable(
      `it holds more than the ${records} entries that are declared, expected no others`,
    );
  }
}

function recordOf(
  head: DataView,
  { rawName, extra }: { readonly rawName: Uint8Array; readonly extra: Uint8Array },
  rules: ZipRules,
) {
  const flags = head.getUint16(8, true);
  const name = nameOf(rawName, flags, rules);
  checkNameField(name, extra);
  const wide = wideNumbers(name, extra);
  const orWide = (value: number, ones: number, bytes: 4 | 8) =>
    value === ones ? wide(bytes) : value;
  return {
    name,
    rawName,
    flags,
    method: head.getUint16(10, true),
    crc32: head.getUint32(16, true),
    size: orWide(head.getUint32(24, true), 0xffffffff, 8), // in the order of the zip64 field
    packedSize: orWide(head.getUint32(20, true), 0xffffffff, 8),
    headerAt: orWide(head.getUint32(42, true), 0xffffffff, 8),
    disk: orWide(head.getUint16(34, true), 0xffff, 4),
    attributes: head.getUint32(38, true),
  };
}

/**
 * UTF-8 where it says so. Where it does not, many programs write UTF-8 all the same; what is none is
 * of code page 437.
 */
export function nameOf(raw: Uint8Array, flags: number, { unflaggedNames }: ZipRules): string {
  const utf8 = decodeUtf8(raw);
  const text = utf8 ?? Array.from(raw, cp437).join("");
  const isFlagged = (flags & UTF8) !== 0;
  if (isFlagged && utf8 === null) {
    throw new ArchiveError(text, "has a name that is not UTF-8, expected what its flags say");
  }
  if (!isFlagged && unflaggedNames === "refused" && raw.some((byte) => byte >= 0x80)) {
    throw new ArchiveError(
      text,
      "has another name for other readers: it is not flagged as UTF-8, expected that beyond ASCII",
    );
  }
  return text;
}

/**
 * The name that some readers take in place of the header's must be the same (a version, a CRC, then
 * the name).
 */
export function checkNameField(name: string, extra: Uint8Array): void {
  const other = fieldOf(name, extra, NAME_FIELD);
  if (other === null) return;
  const found = decodeUtf8(other.subarray(5));
  if (found === name) return;
  const said = found === null ? "one that is not UTF-8" : JSON.stringify(found.slice(0, 120));
  throw new ArchiveError(name, `has another name in its extra fields (${said}), expected the same`);
}

function cp437(byte: number): string {
  return byte < 0x80 ? String.fromCharCode(byte) : CP437.charAt(byte - 0x80);
}

/** Reads the zip64 field from its beginning; it holds what did not fit elsewhere, and only that. */
function wideNumbers(name: string, extra: Uint8Array): (bytes: 4 | 8) => number {
  let at = 0;
  return (bytes) => {
    const field = fieldOf(name, extra, ZIP64_FIELD);
    if (field === null || field.length < at + bytes) {
      throw new ArchiveError(name, "has no zip64 field, expected one for the sizes it refers to");
    }
    const view = viewOf(field);
    const value = bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
    at += bytes;
    if (!Number.isSafeInteger(value)) {
      throw new ArchiveError(name, `declares ${value} bytes, expected less than 2^53`);
    }
    return value;
  };
}

/** An extra field's data; what follows a field that is cut off is padding. */
function fieldOf(name: string, extra: Uint8Array, wanted: number): Uint8Array | null {
  const view = viewOf(extra);
  let found: Uint8Array | null = null;
  for (let at = 0; at + 4 <= extra.length;) {
    const end = at + 4 + view.getUint16(at + 2, true);
    if (end > extra.length) break;
    if (view.getUint16(at, true) === wanted) {
      if (found !== null) {
        throw new ArchiveError(name, "has an extra field twice, expected it once");
      }
      found = extra.subarray(at + 4, end);
    }
    at = end;
  }
  return found;
}

/** The first of the ordered numbers above `at`. */
function firstAfter(ordered: Float64Array, at: number): number | undefined {
  let low = 0;
  for (let high = ordered.length; low < high;) {
    const middle = (low + high) >>> 1;
    if ((ordered[middle] ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return ordered[low];
}
