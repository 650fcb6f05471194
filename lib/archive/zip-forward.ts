import { viewOf } from "../core/bytes.ts";
import { FileError } from "../core/file-error.ts";
import { ArchiveError } from "./entry.ts";
import { ForwardBytes, type ForwardSource, Kept } from "./forward-bytes.ts";
import { ZipBlocks } from "./zip-blocks.ts";
import { HEADER_BYTES, locateFile, type PackedFile, SIZES_AFTER, zipBytes } from "./zip-bytes.ts";
import { decodeName, zipRecords } from "./zip-directory.ts";
import { refusal } from "./zip-entries.ts";
import type { ZipRules } from "./zip-rules.ts";

/** A file of a zip that is read while it arrives. */
export interface ForwardEntry {
  /** Its path in the archive. */
  readonly name: string;
  /** Bytes that its local header declares. */
  readonly size: number;
  /** Whether its packed bytes lie before `from`: it cannot be opened. */
  readonly isPassed: boolean;
  /** Its local header, byte for byte. */
  readonly header: Uint8Array;
  /** The start of the next entry, or of the directory. */
  readonly end: number;
  /** Yields the unpacked bytes. To be read, or skipped, before the next entry is requested. */
  open(): AsyncIterable<Uint8Array>;
}

/** Bytes per step when an unopened entry is skipped. */
const PASSED_BYTES = 64 * 1024;

/** All ones: the real number is in a zip64 field. */
const WIDE = 0xffffffff;

/**
 * Walks the files of a zip while it arrives. No entry can be trusted before the one after the last
 * was requested: only then does the directory arrive, which is read by the same rules as that of
 * `zipEntries`, over the same local headers, and must name exactly the yielded entries. So this
 * accepts no archive that `zipEntries` refuses.
 *
 * It accepts fewer: none with sizes after the data or in zip64 fields, and none with bytes between
 * two entries or before the directory. Those must be read by their directory.
 *
 * @throws {ArchiveError} If the archive cannot be read this way, whether it is wrong or not.
 */
export async function* zipForward(
  source: ForwardSource,
  rules: ZipRules,
): AsyncGenerator<ForwardEntry> {
  const { size, from, signal } = source;
  const kept = new Kept();
  const bytes = new ForwardBytes(source, kept);
  const read = new Map<number, PackedFile>();
  try {
    for (;;) {
      const headerAt = bytes.at;
      const header = await readHeader(bytes);
      if (header === null) {
        requireEndOfEntries(viewOf(await bytes.peek(4)), headerAt);
        break;
      }
      if (read.size === rules.maxEntries) {
        throw new ArchiveError(null, `it has more than ${rules.maxEntries} entries`);
      }
      const file = fileOf(header, headerAt, rules);
      const { name, at, packedSize } = file;
      const end = at + packedSize;
      if (end > size || (headerAt < from && end > from)) {
        throw new ArchiveError(name, `ends at ${end}, expected it to end within the archive`);
      }
      read.set(headerAt, file);
      const isPassed = end <= from;
      if (isPassed) bytes.pass(end);
      yield {
        name,
        size: file.size,
        isPassed,
        header,
        end,
        open: () => zipBytes(file, bytes, signal),
      };
      while (bytes.at < end) {
        await bytes.read(bytes.at, Math.min(PASSED_BYTES, end - bytes.at));
      }
    }
    await bytes.readRest();
    await requireDirectory({ kept, size, signal }, { read, rules });
  } finally {
    await bytes.close();
  }
}

// A local header (APPNOTE.TXT 6.3.10 §4.3.7): 0 signature, 4 version (2), 6 flags (2), 8 method (2),
// 10 time (2), 12 date (2), 14 CRC, 18 packed size, 22 size, 26 length of the name (2), 28 of the
// extra fields (2); then the name and the extra fields.

/** Reads a local header with its name and extra fields; `null` if the next bytes are not a header. */
async function readHeader(bytes: ForwardBytes): Promise<Uint8Array | null> {
  const view = viewOf(await bytes.peek(HEADER_BYTES));
  if (view.byteLength < HEADER_BYTES || view.getUint32(0, true) !== 0x04034b50) return null;
  const length = HEADER_BYTES + view.getUint16(26, true) + view.getUint16(28, true);
  const header = await bytes.readHeader(length);
  if (header.length === length) return header;
  throw new ArchiveError(null, "it is cut short in the header of an entry");
}

/** Signatures of what may follow the last entry: the directory, or the end of an archive without one. */
const AFTER_ENTRIES: readonly number[] = [0x02014b50, 0x06064b50, 0x06054b50];

/** Refuses what is not an archive as soon as its first bytes show it, before the rest arrives. */
function requireEndOfEntries(next: DataView, at: number): void {
  if (next.byteLength < 4 || AFTER_ENTRIES.includes(next.getUint32(0, true))) return;
  throw new ArchiveError(null, `at ${at} it has other bytes than an entry or its directory`);
}

function fileOf(header: Uint8Array, headerAt: number, rules: ZipRules): PackedFile {
  const view = viewOf(header);
  const flags = view.getUint16(6, true);
  const method = view.getUint16(8, true);
  const packedSize = view.getUint32(18, true);
  const size = view.getUint32(22, true);
  const nameLength = view.getUint16(26, true);
  const rawName = header.subarray(HEADER_BYTES, HEADER_BYTES + nameLength);
  const name = decodeName(rawName, flags, rules);
  // Only the directory has disk and attributes; they are checked there.
  const wrong = refusal({ name, flags, method, size, disk: 0, attributes: 0 }, rules);
  if (wrong !== null) throw new ArchiveError(name, wrong);
  if ((flags & SIZES_AFTER) !== 0 || packedSize === WIDE || size === WIDE) {
    throw new ArchiveError(name, "has its sizes elsewhere, expected them in its local header");
  }
  return {
    name,
    method,
    at: headerAt + header.length,
    packedSize,
    size,
    crc32: view.getUint32(14, true),
    descriptorBefore: null,
  };
}

/** Checks that the directory names the read entries, each once, at its place, and no others. */
async function requireDirectory(
  { kept, size, signal }: Pick<ForwardSource, "size" | "signal"> & { readonly kept: Kept },
  { read, rules }: {
    readonly read: ReadonlyMap<number, PackedFile>;
    readonly rules: ZipRules;
  },
): Promise<void> {
  const source = { files: kept, path: "the archive", size, signal };
  const blocks = new ZipBlocks(source);
  let named = 0;
  try {
    for await (const record of zipRecords(source, rules)) {
      const wrong = refusal(record, rules);
      if (wrong !== null) throw new ArchiveError(record.name, wrong);
      const located = await locateFile(record, blocks);
      const file = read.get(record.headerAt);
      if (file === undefined || !sameFile(file, located)) {
        throw new ArchiveError(record.name, "is not what was read, expected the same entries");
      }
      named++;
    }
  } catch (thrown) {
    if (!(thrown instanceof FileError)) throw thrown;
    throw new ArchiveError(null, "its directory leads to where no entry begins", thrown);
  }
  if (named !== read.size) {
    throw new ArchiveError(null, `its directory names ${named} entries, it has ${read.size}`);
  }
}

function sameFile(a: PackedFile, b: PackedFile): boolean {
  return a.name === b.name && a.method === b.method && a.at === b.at && a.size === b.size &&
    a.packedSize === b.packedSize && a.crc32 === b.crc32 &&
    a.descriptorBefore === b.descriptorBefore;
}
