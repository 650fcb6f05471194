// Paths are absolute, in the host's own spelling; `/` works as a separator on every host. Refusals
// of the file system are thrown as `FileError` (lib/core); a missing file is a value.

/** The kind of a directory entry. A link is reported as such, never followed. */
export type FileKind = "file" | "directory" | "symlink" | "fifo" | "socket" | "device";

/** Facts about one entry. */
export interface FileStat {
  /** Its kind. */
  readonly kind: FileKind;
  /** Bytes; 0 for anything but a file. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number;
  /** POSIX permission bits (`0o755`); on Windows the runtime's invention. */
  readonly mode: number;
  /**
   * When its bytes or these facts last changed, in milliseconds since the epoch: unlike the time above
   * no program can set it. Absent if the system does not report it.
   */
  readonly changedMs?: number;
  /**
   * Identifies the file on its disk, whatever its name. Absent if the system does not report it.
   */
  readonly inode?: number;
}

/** One entry of a directory. */
export interface DirectoryEntry {
  /** Its name, without the directory. */
  readonly name: string;
  /** Its kind. */
  readonly kind: FileKind;
}

/**
 * Content to write: bytes in memory, a stream that is read once, or chunks, each of which is
 * written before the next is requested.
 */
export type FileBody = Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * How a path treats links. With `refused`, a file exists only under the exact path that was
 * resolved before: after a link has replaced one of its folders, nothing is read, written, renamed
 * or removed through it (decision 134).
 */
export type Links = "followed" | "refused";

/** Options of a write. */
export interface WriteOptions {
  /**
   * POSIX permission bits of a new file. When absent `0o666` less the umask; `writeAtomic` keeps the
   * bits of the file that it replaces.
   */
  readonly mode?: number;
  /** Fail with `exists` if the name is already taken. */
  readonly createNew?: boolean;
  /** Flush the file's bytes to the disk before returning. */
  readonly sync?: boolean;
  /** Cancels the write; the part written before is removed. */
  readonly signal?: AbortSignal;
  /**
   * Default `followed`. `refused` concerns links among the folders; one at the end of the path is
   * replaced, or refused.
   */
  readonly links?: Links;
}

/**
 * The file system.
 *
 * Every method that opens a file opens regular files only, follows links unless told otherwise, and
 * never blocks: a FIFO, a socket or a device is refused as `not-a-file`, with its kind in the
 * message, a folder as `is-a-directory`. The check is made on the open file rather than on the path
 * before. Only `write` with bytes may write to a character device, such as `/dev/null`.
 */
export interface Files {
  /** Facts about `path` itself; does not follow a link. `null` if nothing exists there. */
  stat(path: string): Promise<FileStat | null>;
  /** Resolves every link of a path; `null` if nothing exists there. */
  realPath(path: string): Promise<string | null>;
  /** The entries of a directory ordered by name, or `null` when it is not there. */
  list(directory: string, links?: Links): Promise<DirectoryEntry[] | null>;
  /**
   * Reads a complete file; `null` if it is missing.
   *
   * @param maxBytes Inclusive; a larger file is refused as `too-large` before it is read.
   */
  read(
    path: string,
    maxBytes: number,
    signal?: AbortSignal,
    links?: Links,
  ): Promise<Uint8Array<ArrayBuffer> | null>;
  /** A file as a stream, or `null` when it is not there. The signal errors the stream. */
  openRead(
    path: string,
    signal?: AbortSignal,
    links?: Links,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | null>;
  /**
   * Reads a file in chunks, for a single pass such as a hash; `null` if it is missing. A chunk is
   * overwritten when the next is requested, so memory use stays constant. Read it without delay, in
   * one loop: leaving the loop closes the file. The signal is checked between two chunks.
   */
  readChunks(
    path: string,
    signal?: AbortSignal,
    links?: Links,
  ): Promise<AsyncIterable<Uint8Array<ArrayBuffer>> | null>;
  /**
   * Reads part of a file; `null` if it is missing. Shorter than `length` only at the file's end.
   *
   * @param length Bytes at most; the caller bounds it.
   * @param into A buffer of at least `length` bytes, of which the answer is then a view; otherwise
   * new bytes.
   */
  readRange(
    path: string,
    offset: number,
    length: number,
    into?: Uint8Array<ArrayBuffer>,
    links?: Links,
  ): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Writes a file in place; a failed write leaves no file that was not there. @returns Bytes written. */
  write(path: string, body: FileBody, options?: WriteOptions): Promise<number>;
  /**
   * Writes beside `path`, syncs, renames over it, syncs the folder: a reader, or the next start
   * after a crash, sees the complete old file or the complete new one.
   *
   * @returns Bytes written.
   */
  writeAtomic(path: string, body: FileBody, options?: WriteOptions): Promise<number>;
  /**
   * Appends bytes to a file, and creates a missing one. Earlier bytes stay, whatever happens to a
   * later call: an interrupted download continues after them.
   */
  append(path: string, bytes: Uint8Array): Promise<void>;
  /** Creates a directory and its parents; an existing one is not an error. */
  makeDirectory(path: string, links?: Links): Promise<void>;
  /** Creates an empty directory of a fresh name. @returns Its path. */
  makeTemporaryDirectory(prefix: string): Promise<string>;
  /** Renames; a file that is in the way is replaced, a directory only when empty. */
  rename(from: string, to: string, links?: Links): Promise<void>;
  /** Copies one file; by reference if the file system can. */
  copy(from: string, to: string): Promise<void>;
  /** Gives a file a second name (a hard link). */
  link(from: string, to: string): Promise<void>;
  /**
   * Makes a symbolic link at `path`, never over something that is there (`exists`).
   *
   * @param target Written as it is, and not looked at: relative to the link's own folder. A Windows
   * user needs a right for it that few have (`denied`).
   */
  symlink(target: string, path: string): Promise<void>;
  /**
   * Removes a file or a complete directory; removes links inside without following them. A missing
   * one is not an error.
   */
  remove(path: string, links?: Links): Promise<void>;
  /** Sets POSIX permission bits; does nothing on Windows. */
  setMode(path: string, mode: number): Promise<void>;
  /** Flushes a file, or a directory's list of names, to the disk. */
  sync(path: string): Promise<void>;
  /** Bytes that this user may still write on the file system of `path`. */
  freeSpace(path: string): Promise<number>;
}

/** The facts of a path, links followed. */
export interface SyncFacts {
  /** `missing` also for a path that cannot be read, or that is neither a file nor a directory. */
  readonly kind: "file" | "directory" | "missing";
  /** Whether this user may execute it; on Windows true for every file. */
  readonly executable: boolean;
  /** Bytes; 0 for anything but a file. */
  readonly size: number;
}

/** Reads facts of a path synchronously, for `whichSync` (FIND-6). Never throws. */
export type SyncStat = (path: string) => SyncFacts;
