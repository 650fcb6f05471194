/** Anything except a file, a folder or a link; opening one may block for ever. */
export type SpecialFile = "fifo" | "socket" | "device";

/** The names of special files in refusals. */
export const SPECIAL_FILES: Readonly<Record<SpecialFile, string>> = {
  fifo: "a FIFO",
  socket: "a socket",
  device: "a device",
};

/** Why a file operation failed, the same on every runtime. */
export type FileErrorCode =
  | "missing"
  | "exists"
  | "denied"
  | "read-only" // the disk takes no writes at all
  | "disk" // it failed to read or to write
  | "full"
  | "too-large"
  | "not-a-directory"
  | "is-a-directory"
  | "not-a-file" // a FIFO, a socket or a device
  | "not-empty"
  | "busy"
  | "other";

/** A file operation that the file system refused. `cause` is the runtime's own error. */
export class FileError extends Error {
  /**
   * Recognises errors of another copy of this module: a bundled program has one, the adapter beside
   * it another.
   */
  static override [Symbol.hasInstance](thrown: unknown): thrown is FileError {
    return thrown instanceof Error && thrown.name === "FileError" && "path" in thrown;
  }

  override readonly name: string = "FileError";
  readonly code: FileErrorCode;
  readonly path: string;

  constructor(code: FileErrorCode, path: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.path = path;
  }
}
