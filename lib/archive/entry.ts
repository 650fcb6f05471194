import type { Files } from "../ports/files.ts";

/** What an entry of an archive becomes. */
export type EntryKind = "file" | "directory" | "symlink" | "hardlink";

/** One entry, as a tar or a zip tells of it. Nothing of it is to be trusted. */
export interface ArchiveEntry {
  /** As the archive has it. */
  readonly name: string;
  /** What it becomes. */
  readonly kind: EntryKind;
  /** Bytes that are announced; 0 for what is no file. */
  readonly size: number;
  /** Unix permission bits; 0 where the archive has none. */
  readonly mode: number;
  /** Where a link leads: of a hard link a name of this archive, of a symbolic one a path. Else empty. */
  readonly target: string;
  /**
   * The bytes of a file, checked against the archive's own sums as they end. To be read, or
   * left, before the next entry is asked for.
   */
  open(): AsyncIterable<Uint8Array>;
}

/** An archive on disk that is read once, from its first entry to its last. */
export interface ArchiveSource {
  readonly files: Pick<Files, "readRange">;
  readonly path: string;
  /** Bytes; nothing past them is read. */
  readonly size: number;
  readonly signal: AbortSignal | undefined;
  /** Hears how many more bytes of the archive were used. */
  readonly onRead: (bytes: number) => void;
}

/** What is wrong with an archive: caught by `extract`, which names the archive. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
  /** The entry that is wrong, or after which it is; `null` when it is none. */
  readonly entry: string | null;

  constructor(entry: string | null, message: string, cause?: unknown) {
    super(message, { cause });
    this.entry = entry;
  }
}
