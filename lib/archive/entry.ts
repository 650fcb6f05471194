import type { Files } from "../ports/files.ts";

/** The kind of file that an entry of an archive becomes. */
export type EntryKind = "file" | "directory" | "symlink" | "hardlink";

/** One entry as a tar or a zip describes it. Nothing of it is to be trusted. */
export interface ArchiveEntry {
  /** As the archive has it. */
  readonly name: string;
  /** The kind of file that it becomes. */
  readonly kind: EntryKind;
  /** Bytes that the archive declares; 0 for what is not a file. */
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
  /** Reads it. */
  readonly files: Pick<Files, "readRange">;
  /** Absolute. */
  readonly path: string;
  /** Bytes; nothing past them is read, whatever the archive's records claim. */
  readonly size: number;
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined;
  /** Hears how many more bytes of the archive were used. */
  readonly onRead?: (bytes: number) => void;
}

/** So much of an entry's name is shown, in characters. */
const MAX_SHOWN = 120;

/**
 * A refused archive: what was found and what was expected. Caught where the reading began, which
 * names the archive and the next step.
 */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
  /** The entry that is wrong, or after which it is; `null` where it is the archive as a whole. */
  readonly entry: string | null;

  /** @param reason Of an entry what follows its name: `has a backslash, expected …`. */
  constructor(entry: string | null, reason: string, cause?: unknown) {
    const shown = entry === null ? "" : `${JSON.stringify(entry.slice(0, MAX_SHOWN))} `;
    super(`${shown}${reason}`, { cause });
    this.entry = entry;
  }
}
