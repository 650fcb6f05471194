import type { Files } from "../ports/files.ts";

/** The kind of file that an entry of an archive becomes. */
export type EntryKind = "file" | "directory" | "symlink" | "hardlink";

/** One entry as a tar or a zip describes it; every field is untrusted. */
export interface ArchiveEntry {
  /** Its spelling in the archive. */
  readonly name: string;
  /** The kind of file that it becomes. */
  readonly kind: EntryKind;
  /** Declared bytes of a file; 0 for other kinds. */
  readonly size: number;
  /** Unix permission bits; 0 if the archive has none. */
  readonly mode: number;
  /**
   * The target of a link: of a hard link a name of this archive, of a symbolic one a path. Empty
   * for other kinds.
   */
  readonly target: string;
  /**
   * Reads the bytes of a file, checked against the archive's own sums at their end. To be read, or
   * skipped, before the next entry is requested.
   */
  open(): AsyncIterable<Uint8Array>;
}

/** An archive on disk that is read once, from its first entry to its last. */
export interface ArchiveSource {
  /** Reads it. */
  readonly files: Pick<Files, "readRange">;
  /** Absolute. */
  readonly path: string;
  /** Bytes; nothing after them is read, whatever the archive's records claim. */
  readonly size: number;
  /** Cancels the reading. */
  readonly signal?: AbortSignal | undefined;
  /** Hears how many more bytes of the archive were used. */
  readonly onRead?: (bytes: number) => void;
}

/** Characters of an entry's name that a message shows. */
const MAX_SHOWN = 120;

/**
 * A refused archive: what was found and what was expected. The caller that started the reading
 * catches it, and adds the archive's name and the next step.
 */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
  /**
   * The wrong entry, or the last one before the error; `null` if the error concerns the archive as
   * one.
   */
  readonly entry: string | null;

  /** @param reason For an entry the text after its name: `has a backslash, expected …`. */
  constructor(entry: string | null, reason: string, cause?: unknown) {
    const shown = entry === null ? "" : `${JSON.stringify(entry.slice(0, MAX_SHOWN))} `;
    super(`${shown}${reason}`, { cause });
    this.entry = entry;
  }
}
