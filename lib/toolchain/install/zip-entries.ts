import { type Entry, Reader, ZipReader } from "@zip.js/zip.js";
import { concatBytes, decodeUtf8 } from "../../core/bytes.ts";
import { FileError } from "../../core/file-error.ts";
import { messageOf } from "../../core/result.ts";
import {
  type ArchiveEntry,
  ArchiveError,
  type ArchiveSource,
  type EntryKind,
} from "./archive-entry.ts";
import { type PackedFile, zipBytes } from "./zip-bytes.ts";
import { createZipBlocks, type ZipBlocks } from "./zip-blocks.ts";

/** A link's target is its content; longer ones lead nowhere. */
const TARGET_BYTES = 4_096;

/** The flags that a plain entry may carry: how hard it was deflated, sizes after it, a UTF-8 name. */
const PLAIN_FLAGS = 0x080e;

/**
 * Walks the entries of a zip in the order of its directory, which zip.js reads and checks: what two
 * readers could take for different archives is refused. The bytes are inflated by the platform:
 * zip.js would take a millisecond and a dozen streams for every file.
 *
 * @throws {ArchiveError} Naming the entry that is wrong; {@linkcode FileError}.
 */
export async function* zipEntries(source: ArchiveSource): AsyncGenerator<ArchiveEntry> {
  const blocks = createZipBlocks(source);
  const zip = new ZipReader(new BlockReader(blocks, source), {
    useWebWorkers: false,
    strictness: "strict",
    filenameValidation: "tolerant", // `entryPath` says what is wrong with a name
    decodeText: (bytes) => decodeUtf8(bytes) ?? undefined, // not flagged is UTF-8 too, or refused
  });
  let last: string | null = null;
  const entries = zip.getEntriesGenerator();
  try {
    for (;;) {
      const { done, value } = await entries.next().catch((thrown) => {
        throw explained(thrown, last);
      });
      if (done) break;
      last = value.filename;
      yield await entryOf(value, blocks, source);
      source.onRead(value.compressedSize);
    }
  } finally {
    await zip.close();
  }
}

async function entryOf(
  entry: Entry,
  blocks: ZipBlocks,
  { signal }: ArchiveSource,
): Promise<ArchiveEntry> {
  const { filename: name, compressedSize, uncompressedSize: size } = entry;
  const wrong = refusal(entry);
  if (wrong !== null) throw new ArchiveError(name, wrong);
  const kind = kindOf(entry);
  const packed: PackedFile = {
    name,
    rawName: entry.rawFilename,
    method: entry.compressionMethod,
    headerAt: entry.offset,
    packedSize: compressedSize,
    size,
    crc32: entry.crc32 ?? 0,
  };
  const open = () => zipBytes(packed, blocks, signal);
  return {
    name,
    kind,
    size: kind === "file" ? size : 0,
    mode: entry.externalFileAttributes >>> 16 & 0o7777,
    target: kind === "symlink" ? await targetOf(packed, open()) : "",
    independent: true,
    open,
  };
}

/** What is wrong with an entry, `null` when it is a plain file, folder or link. */
function refusal(entry: Entry): string | null {
  const { filename, rawFilename, rawBitFlag = -1, compressionMethod } = entry;
  if (decodeUtf8(rawFilename) !== filename) return "has a name that is not UTF-8, or another one";
  if ((rawBitFlag & ~PLAIN_FLAGS) !== 0) {
    return `is encrypted or patched: its flags are ${rawBitFlag}`;
  }
  if (compressionMethod !== 0 && compressionMethod !== 8) {
    return `is compressed by method ${compressionMethod}, expected 0 or 8`;
  }
  if (entry.diskNumberStart !== 0) return "lies in another part of a split archive";
  const type = typeOf(entry);
  if (type === undefined) return "is a device or a pipe, expected files and links";
  if (type !== null && (type === "directory") !== entry.directory) {
    return "is a folder by its name or its attributes, and not by both";
  }
  return entry.directory && entry.uncompressedSize > 0 ? "is a folder that holds bytes" : null;
}

function kindOf(entry: Entry): EntryKind {
  return entry.directory ? "directory" : typeOf(entry) ?? "file";
}

/** By its Unix mode; `null` where it has none, `undefined` where it is something else. */
function typeOf({ externalFileAttributes }: Entry): EntryKind | null | undefined {
  const types: Readonly<Record<number, EntryKind | null>> = {
    0: null,
    0o04: "directory",
    0o10: "file",
    0o12: "symlink",
  };
  return types[externalFileAttributes >>> 28];
}

async function targetOf(packed: PackedFile, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  if (packed.size > TARGET_BYTES) {
    throw new ArchiveError(packed.name, `is a link to a path longer than ${TARGET_BYTES} bytes`);
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const target = decodeUtf8(concatBytes(chunks));
  if (target === null) throw new ArchiveError(packed.name, "is a link to what is not UTF-8");
  return target;
}

/** What a failure of the library means; the disk's own failures stay what they are. */
function explained(thrown: unknown, entry: string | null): unknown {
  if (thrown instanceof ArchiveError || thrown instanceof FileError) return thrown;
  const reason = thrown instanceof Error && "reason" in thrown ? `: ${thrown.reason}` : "";
  return new ArchiveError(
    entry,
    `the zip's directory cannot be read (${messageOf(thrown)}${reason})`,
    thrown,
  );
}

/** What zip.js reads the directory through. */
class BlockReader extends Reader<string> {
  readonly #blocks: ZipBlocks;

  constructor(blocks: ZipBlocks, { path, size }: ArchiveSource) {
    super(path);
    this.#blocks = blocks;
    this.size = size;
  }

  override readUint8Array(index: number, length: number): Promise<Uint8Array> {
    return this.#blocks.read(index, length);
  }
}
