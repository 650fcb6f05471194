import { type Entry, Reader, ZipReader } from "@zip.js/zip.js";
import { messageOf } from "../core/result.ts";
import type { Files } from "../ports/files.ts";
import { StageError } from "./transfer.ts";

/** One file of an archive. */
export interface ArchiveFile {
  readonly path: string;
  /** As the archive says; not to be trusted. */
  readonly size: number;
  /** Inflates the file. The receiver bounds and verifies what comes. */
  open(): ReadableStream<Uint8Array>;
}

/**
 * Walks the files of a zip on disk. Entries that are no plain files, and names that the archive
 * spells ambiguously, are refused; whether a path may exist at all is the caller's manifest's say.
 */
export async function* archiveFiles(
  files: Files,
  path: string,
  size: number,
): AsyncGenerator<ArchiveFile> {
  const zip = new ZipReader(new FileReader(files, path, size), {
    useWebWorkers: false,
    checkSignature: true,
  });
  try {
    const entries = zip.getEntriesGenerator();
    for (;;) {
      const next = await entries.next().catch(refuse);
      if (next.done) return;
      yield archiveFile(next.value);
    }
  } finally {
    await zip.close();
  }
}

function archiveFile(entry: Entry): ArchiveFile {
  const path = entry.filename;
  if (entry.directory) {
    throw new StageError(
      "archive",
      `bundle.zip has the folder ${JSON.stringify(path)}, expected files only`,
    );
  }
  if (entry.encrypted) {
    throw new StageError("archive", `bundle.zip has ${JSON.stringify(path)} encrypted`);
  }
  return {
    path,
    size: entry.uncompressedSize,
    open() {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      entry.getData(writable).catch((thrown: unknown) =>
        writable.abort(unreadable(thrown)).catch(() => undefined) // the reader has been told already
      );
      return readable;
    },
  };
}

function refuse(thrown: unknown): never {
  throw unreadable(thrown);
}

function unreadable(thrown: unknown): StageError {
  return new StageError("archive", `bundle.zip cannot be read: ${messageOf(thrown)}`);
}

/** Random access to a file through the port. */
class FileReader extends Reader<string> {
  readonly #files: Files;
  readonly #path: string;

  constructor(files: Files, path: string, size: number) {
    super(path);
    this.#files = files;
    this.#path = path;
    this.size = size;
  }

  override async readUint8Array(index: number, length: number): Promise<Uint8Array> {
    const bytes = await this.#files.readRange(this.#path, index, length);
    if (bytes === null) throw new Error(`${this.#path} is gone`);
    return bytes;
  }
}
