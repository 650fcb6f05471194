import { encodeUtf8, viewOf } from "../core/bytes.ts";

/** A packed file, whose header, with sizes and CRC, precedes it. */
export interface ZipFile {
  /** Its path, `/` between segments. */
  readonly name: string;
  readonly method: "stored" | "deflated";
  /** Of the unpacked bytes. */
  readonly crc32: number;
  /** Bytes that come out. */
  readonly size: number;
  /** Bytes in the archive. */
  readonly packedSize: number;
  /** Yields the packed bytes; called once. @param at The place of the first one in the zip. */
  open(at: number): AsyncIterable<Uint8Array>;
}

// APPNOTE.TXT 6.3.10. What a local header (§4.3.7, 30 bytes) and a record of the directory (§4.3.12,
// 46 bytes) have in common, from byte 4 and from byte 6: 0 version (2), 2 flags (2), 4 method (2),
// 6 time (2), 8 date (2), 10 CRC, 14 packed size, 18 size, 22 length of the name (2), 24 of the extra
// fields (2). A record continues with 32 length of the comment (2), 34 disk (2), 36 internal attributes
// (2), 38 attributes, 42 offset; the end record (§4.3.16) with 8 entries on disk (2), 10 entries (2),
// 12 directory's size, 16 its offset, 20 length of the comment (2).
const LOCAL = { signature: 0x04034b50, bytes: 30, common: 4 };
const RECORD = { signature: 0x02014b50, bytes: 46, common: 6 };
const END_BYTES = 22;

/** The version of the format that has deflate. */
const VERSION = 20;
/** On Unix. */
const MADE_BY = 0x0300 | VERSION;
const UTF8 = 0x0800;
/** 1980-01-01, the first day that a zip can name. */
const DATE = 0x0021;
/** A regular file that everybody may read, and its owner write. */
const ATTRIBUTES = 0o100644 * 0x10000;

/**
 * Writes a zip that can be unpacked while it arrives: no data descriptors, every local header
 * complete (PUB-25). The same files give the same bytes: one constant date, no other attributes.
 * Writes no zip64 fields, which bundles within their bounds never need (LIM-1).
 *
 * @throws {RangeError} On more than 65,535 files, or 4 GiB.
 * @throws {Error} On a file whose packed bytes differ in number from its header; errors of `open`.
 */
export async function* zippedBytes(
  files: AsyncIterable<ZipFile>,
): AsyncGenerator<Uint8Array> {
  const directory: Uint8Array[] = [];
  let at = 0;
  for await (const file of files) {
    const name = encodeUtf8(file.name);
    const record = headOf(RECORD, file, name);
    const rest = viewOf(record);
    rest.setUint16(4, MADE_BY, true);
    rest.setUint32(38, ATTRIBUTES, true);
    rest.setUint32(42, at, true);
    directory.push(record);
    const local = headOf(LOCAL, file, name);
    yield local;
    let packed = 0;
    for await (const chunk of file.open(at + local.length)) {
      packed += chunk.length;
      yield chunk;
    }
    if (packed !== file.packedSize) {
      throw new Error(`${file.name} has ${packed} packed bytes, expected ${file.packedSize}`);
    }
    at = within(at + local.length + packed, 0xffff_ffff);
  }
  yield* directory;
  const directoryBytes = directory.reduce((total, { length }) => total + length, 0);
  const end = new DataView(new ArrayBuffer(END_BYTES));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, within(directory.length, 0xffff), true);
  end.setUint16(10, directory.length, true);
  end.setUint32(12, within(directoryBytes, 0xffff_ffff), true);
  end.setUint32(16, at, true);
  yield new Uint8Array(end.buffer);
}

function headOf(
  { signature, bytes, common }: typeof LOCAL,
  { method, crc32, packedSize, size }: ZipFile,
  name: Uint8Array,
): Uint8Array {
  const head = new Uint8Array(bytes + name.length);
  head.set(name, bytes);
  const view = viewOf(head);
  view.setUint32(0, signature, true);
  view.setUint16(common, VERSION, true);
  view.setUint16(common + 2, name.some((byte) => byte >= 0x80) ? UTF8 : 0, true);
  view.setUint16(common + 4, method === "stored" ? 0 : 8, true);
  view.setUint16(common + 8, DATE, true);
  view.setUint32(common + 10, crc32, true);
  view.setUint32(common + 14, within(packedSize, 0xffff_ffff), true);
  view.setUint32(common + 18, within(size, 0xffff_ffff), true);
  view.setUint16(common + 22, within(name.length, 0xffff), true);
  return head;
}

/** All ones would refer to the zip64 field, which is not written. */
function within(value: number, ones: number): number {
  if (value < ones) return value;
  throw new RangeError(`Cannot write ${value} into a zip: expected less than ${ones}`);
}
