// Paths are absolute, in the host's own spelling; `/` works as a separator on every host. What the
// file system refuses is thrown as `FileError` (lib/core); that something is not there is a value.

/** The kind of a directory entry. A link is reported as such, never followed. */
export type FileKind = "file" | "directory" | "symlink" | "fifo" | "socket" | "device";

/** Facts about one entry. */
export interface FileStat {
  /** Its kind. */
  readonly kind: FileKind;
  /** Bytes; 0 for what is not a file. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number;
  /** POSIX permission bits (`0o755`); on Windows what the runtime makes up. */
  readonly mode: number;
  /**
   * When its bytes or these facts last changed, in milliseconds since the epoch: unlike the time above
   * no program can set it. Absent if the system does not report it.
   */
  readonly changedMs?: number;
  /** Which file of its disk it is, whatever its name. Absent where the system does not tell. */
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
 * Content to write: bytes at hand, a stream that is read once, or chunks, each of which is written
 * before the next is asked for.
 */
export type FileBody = Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * How a path treats links. With `refused`, a file exists only under the very path that was resolved
 * before: a link that has since replaced one of its folders leads to nothing, and nothing is read,
 * written, renamed or removed through it (decision 134).
 */
export type Links = "followed" | "refused";

/** How to write. */
export interface WriteOptions {
  /**
   * POSIX permission bits of a new file. When absent `0o666` less the umask; `writeAtomic` keeps the
   * bits of the file that it replaces.
   */
  readonly mode?: number;
  /** Fail with `exists` where something of that name is already there. */
  readonly createNew?: boolean;
  /** Flush the file's bytes to the disk before returning. */
  readonly sync?: boolean;
  /** Ends the write; what was written so far is removed. */
  readonly signal?: AbortSignal;
  /** `followed` when absent. Refused ones are those of the folders; one at the end is replaced, or refused. */
  readonly links?: Links;
}

/**
 * The file system.
 *
 * Whatever opens a file opens regular files only, links followed unless told otherwise, and never
 * waits for anyone: a FIFO, a socket or a device is refused as `not-a-file`, with its kind in the
 * message, a folder as `is-a-directory`. It is the open file that is asked what it is, not the path
 * before. Only bytes may be written to a character device, such as `/dev/null`.
 */
export interface Files {
  /** Facts about `path` itself; a link is not followed. `null` when nothing is there. */
  stat(path: string): Promise<FileStat | null>;
  /** The path with every link resolved, or `null` when nothing is there. */
  realPath(path: string): Promise<string | null>;
  /** The entries of a directory ordered by name, or `null` when it is not there. */
  list(directory: string, links?: Links): Promise<DirectoryEntry[] | null>;
  /**
   * A whole file, or `null` when it is not there.
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
   * A file in chunks, or `null` when it is not there: for what needs each byte once, as a hash does.
   * A chunk is overwritten when the next is asked for, so that no memory piles up. Read at once, in
   * one loop: who leaves it closes the file. The signal ends it between two chunks.
   */
  readChunks(
    path: string,
    signal?: AbortSignal,
    links?: Links,
  ): Promise<AsyncIterable<Uint8Array<ArrayBuffer>> | null>;
  /**
   * Part of a file, or `null` when it is not there. Shorter than `length` only at the file's end.
   *
   * @param length At most so many bytes; the caller bounds it.
   * @param into At least so many bytes that may be read into, and answered as a view of; else new ones.
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
   * after a crash, sees the old file or the new one, whole.
   *
   * @returns Bytes written.
   */
  writeAtomic(path: string, body: FileBody, options?: WriteOptions): Promise<number>;
  /**
   * Adds bytes at the end of a file, and makes one that is not there. What is in it stays, whatever
   * happens to a later call: a download that breaks off goes on where it was.
   */
  append(path: string, bytes: Uint8Array): Promise<void>;
  /** Creates a directory and its parents; one that is there is fine. */
  makeDirectory(path: string, links?: Links): Promise<void>;
  /** Creates an empty directory of a fresh name. @returns Its path. */
  makeTemporaryDirectory(prefix: string): Promise<string>;
  /** Renames; a file that is in the way is replaced, a directory only when empty. */
  rename(from: string, to: string, links?: Links): Promise<void>;
  /** Copies one file; by reference where the file system can. */
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
  /** Removes a file or a whole directory; links inside are removed, not followed. Missing is fine. */
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
  /** `missing` also stands for what cannot be looked at, or is no file and no directory. */
  readonly kind: "file" | "directory" | "missing";
  /** Whether this user may execute it; on Windows true for every file. */
  readonly executable: boolean;
  /** Bytes; 0 for what is not a file. */
  readonly size: number;
}

/** Looks at a path at once, for `whichSync` (FIND-6). Never throws. */
export type SyncStat = (path: string) => SyncFacts;
