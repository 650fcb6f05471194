import { decodeUtf8, viewOf } from "../core/bytes.ts";
import { ArchiveError, type ArchiveSource } from "./entry.ts";
import { ZipBlocks } from "./zip-blocks.ts";
import { findDirectory, unreadable, type ZipDirectory } from "./zip-end.ts";
import type { ZipRules } from "./zip-rules.ts";

/** One record of the directory, not yet compared with its file. */
export interface ZipRecord {
  readonly name: string;
  /** The name's bytes in the archive. */
  readonly rawName: Uint8Array;
  /** Bit 0: encrypted, 3: sizes follow the data, 11: the name is UTF-8. */
  readonly flags: number;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly crc32: number;
  /** Bytes in the archive. */
  readonly packedSize: number;
  /** Bytes that come out. */
  readonly size: number;
  /** The start of its local header. */
  readonly headerAt: number;
  /** The start of the next header, or of the directory: the file's bytes end before it. */
  readonly nextAt: number;
  /** 0 if the archive is not split. */
  readonly disk: number;
  /** Unix mode in the upper half, DOS attributes in the lowest byte. */
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
 * Reads the directory of a zip twice: first to check that it is complete and to find the files'
 * starts, then to yield the records. Keeps only one number of each record.
 *
 * @throws {ArchiveError} Before the first record, unless a single entry is wrong.
 */
export async function* zipRecords(
  source: ArchiveSource,
  rules: ZipRules,
): AsyncGenerator<ZipRecord> {
  const blocks = new ZipBlocks(source); // separate, since the files' bytes are read in between
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
  const name = decodeName(rawName, flags, rules);
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
 * Decodes a name: as UTF-8 if it is flagged. Many programs write UTF-8 without the flag; other
 * bytes are in code page 437.
 */
export function decodeName(raw: Uint8Array, flags: number, { unflaggedNames }: ZipRules): string {
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

/**
 * Reads the zip64 field from its beginning; it holds only the numbers that did not fit elsewhere.
 */
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

/** Returns an extra field's data; bytes after a truncated field are padding. */
function fieldOf(name: string, extra: Uint8Array, fieldId: number): Uint8Array | null {
  const view = viewOf(extra);
  let found: Uint8Array | null = null;
  for (let at = 0; at + 4 <= extra.length;) {
    const end = at + 4 + view.getUint16(at + 2, true);
    if (end > extra.length) break;
    if (view.getUint16(at, true) === fieldId) {
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
