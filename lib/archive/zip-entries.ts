import { concatBytes, decodeUtf8 } from "../core/bytes.ts";
import { Once } from "../core/once.ts";
import { type ArchiveEntry, ArchiveError, type ArchiveSource, type EntryKind } from "./entry.ts";
import { ZipBlocks } from "./zip-blocks.ts";
import { locateFile, type PackedFile, zipBytes } from "./zip-bytes.ts";
import { type ZipRecord, zipRecords } from "./zip-directory.ts";
import type { ZipRules } from "./zip-rules.ts";

/** A link's target is its content; the bound of its length, in bytes. */
const TARGET_BYTES = 4_096;

/** The flags that a plain entry may carry: how hard it was deflated, sizes after it, a UTF-8 name. */
const PLAIN_FLAGS = 0x080e;

/** The DOS attribute of a folder. */
const DOS_FOLDER = 0x10;

/**
 * Walks the entries of a zip in the order of its directory. Refuses everything that two readers
 * could read as different archives: bytes before or after the structures that the directory needs,
 * overlapping entries, a local header or a data descriptor that describes another file.
 *
 * @throws {ArchiveError} Naming the wrong entry; {@linkcode FileError}.
 */
export async function* zipEntries(
  source: ArchiveSource,
  rules: ZipRules,
): AsyncGenerator<ArchiveEntry> {
  const blocks = new ZipBlocks(source);
  for await (const record of zipRecords(source, rules)) {
    const wrong = refusal(record, rules);
    if (wrong !== null) throw new ArchiveError(record.name, wrong);
    const located = new Once(() => locateFile(record, blocks));
    const locate = () => located.get();
    const open = () => bytesOf(locate, blocks, source.signal);
    yield await entryOf(record, open);
    await locate(); // also if the entry was not opened
    source.onRead?.(record.packedSize);
  }
}

async function* bytesOf(
  locate: () => Promise<PackedFile>,
  blocks: ZipBlocks,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  yield* zipBytes(await locate(), blocks, signal);
}

async function entryOf(record: ZipRecord, open: ArchiveEntry["open"]): Promise<ArchiveEntry> {
  const { name, size } = record;
  const kind = kindOf(record);
  return {
    name,
    kind,
    size: kind === "file" ? size : 0,
    mode: record.attributes >>> 16 & 0o7777,
    target: kind === "symlink" ? await targetOf(record, open()) : "",
    open,
  };
}

/** The fields of a record that can make an entry refused. */
type RefusedBy = Pick<ZipRecord, "name" | "flags" | "method" | "size" | "disk" | "attributes">;

/** Why an entry is refused; `null` when the rules take it. */
export function refusal(record: RefusedBy, { kinds }: ZipRules): string | null {
  const { name, flags, method, size } = record;
  if ((flags & ~PLAIN_FLAGS) !== 0) {
    return `is encrypted or patched: it has the flags 0x${flags.toString(16)}, expected none ` +
      `beyond 0x${PLAIN_FLAGS.toString(16)}`;
  }
  if (method !== 0 && method !== 8) {
    return `is compressed by method ${method}, expected 0 (stored) or 8 (deflated)`;
  }
  if (record.disk !== 0) {
    return `lies in part ${record.disk} of a split archive, expected one whole file`;
  }
  const type = typeOf(record);
  const expected = `expected ${kinds.map((kind) => `${WORDS[kind]}s`).join(", ")}`;
  if (type === undefined) return `is a device or a pipe, ${expected}`;
  const file = type === "file" || type === "symlink";
  const dosFolder = (record.attributes & DOS_FOLDER) !== 0 && type !== "directory";
  if (name.endsWith("/") ? file : dosFolder) {
    return "is a folder by its name or by its attributes alone, expected both or neither";
  }
  const kind = kindOf(record);
  if (!kinds.includes(kind)) return `is a ${WORDS[kind]}, ${expected}`;
  return kind === "directory" && size > 0
    ? `is a folder that holds ${size} bytes, expected none`
    : null;
}

const WORDS: Readonly<Record<EntryKind, string>> = {
  file: "file",
  directory: "folder",
  symlink: "symbolic link",
  hardlink: "hard link",
};

function kindOf(record: RefusedBy): EntryKind {
  return typeOf(record) ?? (record.name.endsWith("/") ? "directory" : "file");
}

/** Returns the kind by the Unix mode; `null` without one, `undefined` for other kinds. */
function typeOf({ attributes }: RefusedBy): EntryKind | null | undefined {
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
    throw new ArchiveError(
      name,
      `is a link to a path of ${size} bytes, expected at most ${TARGET_BYTES}`,
    );
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const target = decodeUtf8(concatBytes(chunks));
  if (target === null) {
    throw new ArchiveError(name, "is a link to what is not UTF-8, expected a path");
  }
  return target;
}
