import { type Entry, Reader, ZipReader } from "@zip.js/zip.js";
import { decodeUtf8 } from "../core/bytes.ts";
import { FileError } from "../core/file-error.ts";
import { LIMITS } from "../core/limits.ts";
import { checkPath } from "../core/paths.ts";
import { messageOf } from "../core/result.ts";
import type { Files } from "../ports/files.ts";
import { StageError } from "./transfer.ts";

/** One file of an archive. */
export interface ArchiveFile {
  /** A path by the rules of lib/core, the same for every reader. */
  readonly path: string;
  /** As the archive says; not to be trusted. */
  readonly size: number;
  /** Inflates the file. The receiver bounds and verifies what comes. */
  open(): ReadableStream<Uint8Array>;
}

/** The most that is read at once: the directory of as many files as a bundle may have, in bytes. */
const READ_BYTES = LIMITS.bundleFiles * 1024;

/** What is read ahead: headers and data of small files lie next to each other, in bytes. */
const BLOCK_BYTES = 256 * 1024;

/** The flags that a plain file may carry: how hard it was deflated, sizes after it, a UTF-8 name. */
const PLAIN_FLAGS = 0x080e;

/**
 * Walks the files of a zip on disk. What two readers could take for different archives is refused
 * (DEV-12),
 * and so is every entry that is no plain file; whether a file belongs here is the caller's
 * manifest's say.
 *
 * @param size Bytes of the archive; nothing past them is read, whatever its records claim.
 * @throws {StageError} `archive`, naming the entry; {@linkcode FileError} when the disk fails.
 */
export async function* archiveFiles(
  files: Files,
  path: string,
  size: number,
): AsyncGenerator<ArchiveFile> {
  const zip = new ZipReader(new FileReader(files, path, size), {
    useWebWorkers: false,
    useCompressionStream: false, // the platform's inflates far ahead of a slow reader
    strictness: "strict",
    filenameValidation: "tolerant", // `checkPath` says what is wrong with a name
    checkCrc32: true,
    checkOverlappingEntry: true,
  });
  try {
    for await (const entry of zip.getEntriesGenerator()) yield archiveFile(entry);
  } catch (thrown) {
    throw unreadable("bundle.zip", thrown);
  } finally {
    await zip.close();
  }
}

function archiveFile(entry: Entry): ArchiveFile {
  const path = entry.filename;
  const what = `bundle.zip's ${JSON.stringify(path.slice(0, 120))}`;
  const refused = refusal(entry);
  if (entry.directory || refused !== null) {
    throw new StageError("archive", `${what} ${refused}`);
  }
  return {
    path,
    size: entry.uncompressedSize,
    open() {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      entry.getData(writable, { preventClose: true })
        .then(() => writable.close(), (thrown) => writable.abort(unreadable(what, thrown)))
        .catch(() => undefined); // whoever reads has given up already
      return readable;
    },
  };
}

/** What is wrong with an entry, `null` when it is a plain file. */
function refusal(entry: Entry): string | null {
  const { filename, rawFilename, rawBitFlag = -1, compressionMethod } = entry;
  if (decodeUtf8(rawFilename) !== filename) return "has another name for other readers";
  if (entry.directory) return "is a folder, expected files only";
  const path = checkPath(filename);
  if (!path.ok) return `is refused: ${path.error.message}`;
  const type = entry.externalFileAttributes >>> 28; // of a unix mode; 0 where there is none
  if (type !== 0 && type !== 8) return "is a link or a device, expected a file";
  if ((rawBitFlag & ~PLAIN_FLAGS) !== 0) {
    return `is encrypted or patched: its flags are ${rawBitFlag}`;
  }
  if (compressionMethod !== 0 && compressionMethod !== 8) {
    return `is compressed by method ${compressionMethod}, expected 0 or 8`;
  }
  return entry.diskNumberStart === 0 ? null : "lies in another part of a split archive";
}

/** What a failure of the library means; the disk's own failures stay what they are. */
function unreadable(what: string, thrown: unknown): unknown {
  if (thrown instanceof StageError || thrown instanceof FileError) return thrown;
  const reason = thrown instanceof Error && "reason" in thrown ? ` (${thrown.reason})` : "";
  return new StageError("archive", `${what} cannot be read: ${messageOf(thrown)}${reason}`);
}

/** Random access to a file through the port, within the file and within bounds. */
class FileReader extends Reader<string> {
  readonly #files: Files;
  readonly #path: string;
  /** What was read last, and where it begins. */
  #block = new Uint8Array();
  #blockAt = 0;

  constructor(files: Files, path: string, size: number) {
    super(path);
    this.#files = files;
    this.#path = path;
    this.size = size;
  }

  override async readUint8Array(index: number, length: number): Promise<Uint8Array> {
    const left = this.size - index;
    const wanted = Math.min(length, left);
    if (index < 0 || wanted <= 0) return new Uint8Array();
    if (wanted > READ_BYTES) {
      throw new StageError("archive", `bundle.zip has a record of ${wanted} bytes`);
    }
    if (index < this.#blockAt || index + wanted > this.#blockAt + this.#block.length) {
      const ahead = Math.min(Math.max(wanted, BLOCK_BYTES), left);
      const block = await this.#files.readRange(this.#path, index, ahead);
      if (block === null) throw new FileError("missing", this.#path, `${this.#path} is gone`);
      this.#block = block;
      this.#blockAt = index;
    }
    const from = index - this.#blockAt;
    return this.#block.slice(from, from + wanted);
  }
}
