import { concatBytes, decodeUtf8 } from "../core/bytes.ts";
import { type ArchiveEntry, ArchiveError, type ArchiveSource, type EntryKind } from "./entry.ts";
import { createZipBlocks, type ZipBlocks } from "./zip-blocks.ts";
import { locateFile, zipBytes } from "./zip-bytes.ts";
import { type ZipRecord, zipRecords } from "./zip-directory.ts";

/** A link's target is its content; longer ones lead nowhere. */
const TARGET_BYTES = 4_096;

/** The flags that a plain entry may carry: how hard it was deflated, sizes after it, a UTF-8 name. */
const PLAIN_FLAGS = 0x080e;

/** Of DOS's attributes the one of a folder. */
const DOS_FOLDER = 0x10;

/**
 * Walks the entries of a zip in the order of its directory. What two readers could take for
 * different archives is refused: what stands before, between or behind the structures that the
 * directory needs, entries over each other, a local header that tells of another file.
 *
 * @throws {ArchiveError} Naming the entry that is wrong; {@linkcode FileError}.
 */
export async function* zipEntries(source: ArchiveSource): AsyncGenerator<ArchiveEntry> {
  const blocks = createZipBlocks(source);
  for await (const record of zipRecords(source)) {
    yield await entryOf(record, blocks, source);
    source.onRead(record.packedSize);
  }
}

async function entryOf(
  record: ZipRecord,
  blocks: ZipBlocks,
  { signal }: ArchiveSource,
): Promise<ArchiveEntry> {
  const { name, size } = record;
  const wrong = refusal(record);
  if (wrong !== null) throw new ArchiveError(name, wrong);
  const kind = kindOf(record);
  const packed = await locateFile(record, blocks);
  const open = () => zipBytes(packed, blocks, signal);
  return {
    name,
    kind,
    size: kind === "file" ? size : 0,
    mode: record.attributes >>> 16 & 0o7777,
    target: kind === "symlink" ? await targetOf(record, open()) : "",
    open,
  };
}

/** What is wrong with an entry, `null` when it is a plain file, folder or link. */
function refusal(record: ZipRecord): string | null {
  const { name, flags, method, size } = record;
  if ((flags & ~PLAIN_FLAGS) !== 0) return `is encrypted or patched: its flags are ${flags}`;
  if (method !== 0 && method !== 8) return `is compressed by method ${method}, expected 0 or 8`;
  if (record.disk !== 0) return "lies in another part of a split archive";
  const type = typeOf(record);
  if (type === undefined) return "is a device or a pipe, expected files and links";
  const file = type === "file" || type === "symlink";
  const dosFolder = (record.attributes & DOS_FOLDER) !== 0 && type !== "directory";
  if (name.endsWith("/") ? file : dosFolder) {
    return "is a folder by its name or its attributes, and not by both";
  }
  return kindOf(record) === "directory" && size > 0 ? "is a folder that holds bytes" : null;
}

function kindOf(record: ZipRecord): EntryKind {
  return typeOf(record) ?? (record.name.endsWith("/") ? "directory" : "file");
}

/** By its Unix mode; `null` where it has none, `undefined` where it is something else. */
function typeOf({ attributes }: ZipRecord): EntryKind | null | undefined {
  const types: Readonly<Record<number, EntryKind | null>> = {
    0: null,
    0o04: "directory",
    0o10: "file",
    0o12: "symlink",
  };
  return types[attributes >>> 28];
}

async function targetOf(
  { name, size }: ZipRecord,
  bytes: AsyncIterable<Uint8Array>,
): Promise<string> {
  if (size > TARGET_BYTES) {
    throw new ArchiveError(name, `is a link to a path longer than ${TARGET_BYTES} bytes`);
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const target = decodeUtf8(concatBytes(chunks));
  if (target === null) throw new ArchiveError(name, "is a link to what is not UTF-8");
  return target;
}
