import { concatBytes, viewOf } from "../core/bytes.ts";
import { crc32 } from "../core/crc32.ts";
import { messageOf } from "../core/result.ts";
import { ArchiveError } from "./entry.ts";
import { gunzip, GZIP_HEADER, PIECE_BYTES } from "./gunzip.ts";
import { checkNameField, type ZipRecord } from "./zip-directory.ts";

/** The packed bytes of a file, and the expected result. */
export interface PackedFile {
  readonly name: string;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  /** The start of the packed bytes. */
  readonly at: number;
  /** Bytes in the archive. */
  readonly packedSize: number;
  /** Bytes that come out. */
  readonly size: number;
  readonly crc32: number;
  /**
   * The end of the range that may belong to this file and holds its data descriptor; `null` for a
   * file without one.
   */
  readonly descriptorBefore: number | null;
}

/** Bytes of an archive, from whichever end it is read. */
export interface ArchiveBytes {
  /** Shorter than `length` only at the archive's end. */
  read(at: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Before the name of a local header (APPNOTE.TXT 6.3.10 §4.3.7). */
export const HEADER_BYTES = 30;
/** Bytes per read of a stored file; unlike deflated ones they do not grow. */
const STORED_BYTES = 64 * 1024;
/** The longest data descriptor. */
const DESCRIPTOR_BYTES = 24;
/** The flag of a file whose sizes and CRC follow its data. */
export const SIZES_AFTER = 0x0008;
/** The flags of the compression level, which readers ignore. */
const DEFLATE_FLAGS = 0x0006;

/**
 * Locates a file's bytes. Its local header must describe the same file as the directory, under the
 * same name.
 *
 * @throws {ArchiveError} If it does not, or the bytes overlap what follows.
 */
export async function locateFile(record: ZipRecord, blocks: ArchiveBytes): Promise<PackedFile> {
  const { name, rawName, flags, method, headerAt, packedSize, size, crc32 } = record;
  const head = await blocks.read(headerAt, HEADER_BYTES + rawName.length);
  const view = viewOf(head);
  const isComplete = head.length === HEADER_BYTES + rawName.length;
  if (!isComplete || view.getUint32(0, true) !== 0x04034b50) {
    throw new ArchiveError(
      name,
      `has no header where the directory says, expected one at ${headerAt}`,
    );
  }
  const sameName = view.getUint16(26, true) === rawName.length &&
    rawName.every((byte, i) => head[HEADER_BYTES + i] === byte);
  const sameSizes = (flags & SIZES_AFTER) !== 0 || (view.getUint32(14, true) === crc32 &&
    [packedSize, 0xffffffff].includes(view.getUint32(18, true)) &&
    [size, 0xffffffff].includes(view.getUint32(22, true)));
  const same = sameName && sameSizes && view.getUint16(8, true) === method &&
    ((view.getUint16(6, true) ^ flags) & ~DEFLATE_FLAGS) === 0;
  if (!same) {
    throw new ArchiveError(
      name,
      "has a header that names another file than the directory, expected the same name, flags, " +
        "method, sizes and CRC",
    );
  }
  const extraAt = headerAt + head.length;
  const extra = view.getUint16(28, true);
  if (extra > 0) checkNameField(name, await blocks.read(extraAt, extra));
  const at = extraAt + extra;
  const { nextAt } = record;
  if (at + packedSize > nextAt) {
    throw new ArchiveError(
      name,
      `reaches into the entry that follows it, or into the directory: its ${packedSize} bytes begin ` +
        `at ${at}, expected them to end by ${nextAt}`,
    );
  }
  const descriptorBefore = (flags & SIZES_AFTER) === 0 ? null : nextAt;
  return { name, method, at, packedSize, size, crc32, descriptorBefore };
}

/**
 * Checks that sizes and CRC after the data (§4.3.9) equal those of the directory: a streaming
 * reader knows no others. They have four or eight bytes, with or without a signature.
 */
async function checkDescriptor(file: PackedFile, blocks: ArchiveBytes): Promise<void> {
  const { name, at, packedSize, size, crc32, descriptorBefore } = file;
  if (descriptorBefore === null) return;
  const from = at + packedSize;
  const found = await blocks.read(from, Math.min(DESCRIPTOR_BYTES, descriptorBefore - from));
  const view = viewOf(found);
  const isSame = (start: number, width: 4 | 8) => {
    if (found.length < start + 4 + 2 * width) return false;
    const number = (where: number) =>
      width === 4 ? view.getUint32(where, true) : Number(view.getBigUint64(where, true));
    return view.getUint32(start, true) === crc32 && number(start + 4) === packedSize &&
      number(start + 4 + width) === size;
  };
  const isSigned = found.length >= 4 && view.getUint32(0, true) === 0x08074b50;
  const starts = isSigned ? [4, 0] : [0]; // a CRC may look like the signature
  if (starts.some((start) => isSame(start, 4) || isSame(start, 8))) return;
  throw new ArchiveError(
    name,
    "has other sizes or another CRC after its data than the directory, or none, expected the same",
  );
}

/**
 * Yields the bytes of one file: stored ones as they are, deflated ones through the platform's gzip
 * inflater, which also checks the CRC and the size.
 *
 * @throws {ArchiveError} At the end of a file that differs from the directory.
 */
export async function* zipBytes(
  file: PackedFile,
  blocks: ArchiveBytes,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  let unread: { readonly thrown: unknown } | undefined; // a disk or a network, not the file
  const source: ArchiveBytes = {
    async read(at, length) {
      try {
        return await blocks.read(at, length);
      } catch (thrown) {
        unread = { thrown };
        throw thrown;
      }
    },
  };
  try {
    const { method } = file;
    for await (
      const chunk of method === 0 ? storedOf(file, source) : gunzip(memberOf(file, source))
    ) {
      size += chunk.length;
      if (size > file.size) break;
      yield chunk;
    }
  } catch (thrown) {
    if (unread !== undefined) throw unread.thrown;
    if (thrown instanceof ArchiveError || signal?.aborted) throw thrown;
    throw new ArchiveError(
      file.name,
      `is damaged, or has another CRC or size than the directory says (${messageOf(thrown)}), ` +
        `expected ${file.size} bytes with the CRC ${file.crc32.toString(16).padStart(8, "0")}`,
      thrown,
    );
  }
  if (size !== file.size) {
    const found = size > file.size ? "more" : size;
    throw new ArchiveError(
      file.name,
      `has ${found} bytes, expected the ${file.size} that the directory says`,
    );
  }
  await checkDescriptor(file, blocks);
}

/** Yields the packed bytes of a file, in pieces of at most a given size. */
async function* packedOf(
  { name, at, packedSize }: PackedFile,
  blocks: ArchiveBytes,
  most: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let done = 0; done < packedSize;) {
    const piece = await blocks.read(at + done, Math.min(most, packedSize - done));
    if (piece.length === 0) {
      throw new ArchiveError(
        name,
        `is cut short at ${done} of its ${packedSize} bytes in the archive`,
      );
    }
    done += piece.length;
    yield piece;
  }
}

/** A file that is stored as it is: its CRC is compared at its end. */
async function* storedOf(file: PackedFile, blocks: ArchiveBytes): AsyncGenerator<Uint8Array> {
  let crc = 0;
  for await (const piece of packedOf(file, blocks, STORED_BYTES)) {
    crc = crc32(piece, crc);
    yield piece;
  }
  if (crc !== file.crc32) throw new Error("another CRC");
}

/** A deflated file as a gzip member. A small one is one piece: most of its time would go into handing on. */
async function* memberOf(
  file: PackedFile,
  blocks: ArchiveBytes,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let parts: Uint8Array[] = [GZIP_HEADER];
  let done = 0;
  for await (const piece of packedOf(file, blocks, PIECE_BYTES)) {
    parts.push(piece);
    done += piece.length;
    if (done === file.packedSize) break;
    yield concatBytes(parts);
    parts = [];
  }
  const trailer = new DataView(new ArrayBuffer(8));
  trailer.setUint32(0, file.crc32, true);
  trailer.setUint32(4, file.size % 2 ** 32, true);
  yield concatBytes([...parts, new Uint8Array(trailer.buffer)]);
}
