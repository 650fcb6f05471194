import { deflateRawSync } from "node:zlib";

// Zips written byte by byte (APPNOTE.TXT 6.3.10, sections 4.3.7 to 4.3.16), so that every field can
// lie. Without overrides the archive is an honest one.

/** Fields that a local and a central header share. */
export interface ZipHeader {
  readonly name: string | Uint8Array;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly extra: Uint8Array;
}

/** One entry: its true content, and the differences of its headers. */
export interface HostileEntry {
  readonly name: string | Uint8Array;
  readonly body?: string | Uint8Array;
  /** 8 deflates (default), all else is stored under that number. */
  readonly method?: number;
  /** The bytes after the local header, in place of the packed body. */
  readonly packed?: Uint8Array;
  /** The values of both headers; default the true ones. */
  readonly both?: Partial<ZipHeader>;
  readonly local?: Partial<ZipHeader>;
  readonly central?: Partial<ZipHeader>;
  /** A data descriptor after the body with sizes and CRC: the true ones, or the given ones. */
  readonly descriptor?: true | Partial<Pick<ZipHeader, "crc" | "compressedSize" | "size">>;
  /** Upper byte 3 is Unix. Default `0x0314`. */
  readonly madeBy?: number;
  /** External attributes; default a plain Unix file. */
  readonly attributes?: number;
  readonly disk?: number;
  /** The entry's offset according to the central directory. */
  readonly offset?: number;
  /** Whether the central directory has no record of it. */
  readonly hidden?: boolean;
}

/** The end of central directory record. */
export interface ZipEnd {
  readonly disk: number;
  readonly directoryDisk: number;
  readonly diskEntries: number;
  readonly entries: number;
  readonly directorySize: number;
  readonly directoryOffset: number;
  readonly commentLength: number;
}

/** An archive. */
export interface HostileZip {
  readonly entries: readonly HostileEntry[];
  readonly end?: Partial<ZipEnd>;
  readonly comment?: Uint8Array;
  /** Before the first entry; offsets do not count it. */
  readonly prefix?: Uint8Array;
  /** Between the directory and its end record. */
  readonly gap?: Uint8Array;
  /** After everything. */
  readonly suffix?: Uint8Array;
  /** A zip64 end record and locator, whose given fields replace the true ones. */
  readonly zip64?: Partial<Record<"entries" | "directorySize" | "directoryOffset" | "at", bigint>>;
}

/** The value of a field of two or four bytes when zip64 holds the real one. */
export const ZIP64 = { short: 0xffff, long: 0xffffffff } as const;

/** Builds the bytes of the described archive. */
export function buildZip(zip: HostileZip): Uint8Array<ArrayBuffer> {
  const locals: Uint8Array[] = [];
  const records: Uint8Array[] = [];
  let offset = 0;
  for (const entry of zip.entries) {
    const { local, record } = buildEntry(entry, offset);
    locals.push(local);
    if (!entry.hidden) records.push(record);
    offset += local.length;
  }
  const directory = joined(records);
  const comment = zip.comment ?? new Uint8Array();
  const gap = zip.gap ?? new Uint8Array();
  const truth = { entries: records.length, directorySize: directory.length };
  const zip64 = zip.zip64 === undefined ? new Uint8Array() : joined([
    u32(0x06064b50, 44, 0),
    u16(45, 45),
    u32(0, 0),
    u64(zip.zip64.entries ?? BigInt(truth.entries), zip.zip64.entries ?? BigInt(truth.entries)),
    u64(zip.zip64.directorySize ?? BigInt(truth.directorySize)),
    u64(zip.zip64.directoryOffset ?? BigInt(offset)),
    u32(0x07064b50, 0),
    u64(zip.zip64.at ?? BigInt(offset + directory.length + gap.length)),
    u32(1),
  ]);
  const end: ZipEnd = {
    disk: 0,
    directoryDisk: 0,
    diskEntries: truth.entries,
    directoryOffset: offset,
    commentLength: comment.length,
    ...truth,
    ...zip.end,
  };
  return joined([
    zip.prefix ?? new Uint8Array(),
    ...locals,
    directory,
    gap,
    zip64,
    u32(0x06054b50),
    u16(end.disk, end.directoryDisk, end.diskEntries, end.entries),
    u32(end.directorySize, end.directoryOffset),
    u16(end.commentLength),
    comment,
    zip.suffix ?? new Uint8Array(),
  ]);
}

function buildEntry(
  entry: HostileEntry,
  offset: number,
): { readonly local: Uint8Array; readonly record: Uint8Array } {
  const body = bytesOf(entry.body ?? "");
  const method = entry.method ?? 8;
  const packed = entry.packed ?? (method === 8 ? new Uint8Array(deflateRawSync(body)) : body);
  const truth: ZipHeader = {
    name: entry.name,
    flags: 0x800 | (entry.descriptor ? 8 : 0),
    method,
    crc: crc32(body),
    compressedSize: packed.length,
    size: body.length,
    extra: new Uint8Array(),
    ...entry.both,
  };
  const after = entry.descriptor && { crc: 0, compressedSize: 0, size: 0 };
  const descriptor = { ...truth, ...(entry.descriptor === true ? {} : entry.descriptor) };
  return {
    local: joined([
      u32(0x04034b50),
      header({ ...truth, ...after, ...entry.local }),
      packed,
      ...(entry.descriptor
        ? [u32(0x08074b50, descriptor.crc, descriptor.compressedSize, descriptor.size)]
        : []),
    ]),
    record: joined([
      u32(0x02014b50),
      u16(entry.madeBy ?? 0x0314),
      header({ ...truth, ...entry.central }, [
        u16(0, entry.disk ?? 0, 0),
        u32(entry.attributes ?? 0o100644 * 2 ** 16, entry.offset ?? offset),
      ]),
    ]),
  };
}

/** The fields that both headers share; `between` precedes the name. */
function header(
  { name, flags, method, crc, compressedSize, size, extra }: ZipHeader,
  between: readonly Uint8Array[] = [],
): Uint8Array {
  const label = bytesOf(name);
  return joined([
    u16(20, flags, method, 0, 0x21),
    u32(crc, compressedSize, size),
    u16(label.length, extra.length),
    ...between,
    label,
    extra,
  ]);
}

/** An extra field. */
export function extraField(id: number, data: Uint8Array): Uint8Array<ArrayBuffer> {
  return joined([u16(id, data.length), data]);
}

/** The Info-ZIP field that gives an entry another name than its header does. */
export function unicodePath(headerName: string, name: string): Uint8Array<ArrayBuffer> {
  const said = bytesOf(name);
  return extraField(
    0x7075,
    joined([Uint8Array.of(1), u32(crc32(bytesOf(headerName))), said]),
  );
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc >>> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

/** The CRC-32 of a zip. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = crc >>> 8 ^ (CRC_TABLE[(crc ^ byte) & 255] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Little-endian numbers of two bytes. */
export function u16(...values: readonly number[]): Uint8Array<ArrayBuffer> {
  return littleEndian(values.map(BigInt), 2);
}

/** Little-endian numbers of four bytes. */
export function u32(...values: readonly number[]): Uint8Array<ArrayBuffer> {
  return littleEndian(values.map(BigInt), 4);
}

/** Little-endian numbers of eight bytes. */
export function u64(...values: readonly bigint[]): Uint8Array<ArrayBuffer> {
  return littleEndian(values, 8);
}

function littleEndian(values: readonly bigint[], width: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    values.flatMap((value) =>
      Array.from({ length: width }, (_, i) => Number(value >> BigInt(8 * i) & 255n))
    ),
  );
}

/** Text as UTF-8, bytes as they are. */
export function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

/** Parts one after the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts));
}
