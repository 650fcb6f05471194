/** Why a file operation failed, the same on every runtime. */
export type FileErrorCode =
  | "missing"
  | "exists"
  | "denied"
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
  override readonly name: string = "FileError";
  readonly code: FileErrorCode;
  readonly path: string;

  constructor(code: FileErrorCode, path: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.path = path;
  }
}
