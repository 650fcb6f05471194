import { lstat } from "node:fs/promises";
import { FileError, type FileErrorCode } from "../../lib/core/file-error.ts";

const CODES: Readonly<Record<string, FileErrorCode>> = {
  ENOENT: "missing",
  ENOTDIR: "not-a-directory",
  EEXIST: "exists",
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "read-only",
  EIO: "disk",
  EBADMSG: "disk", // a checksum of the file system is wrong
  EUCLEAN: "disk", // its own data is damaged
  ENOSPC: "full",
  EDQUOT: "full",
  EISDIR: "is-a-directory",
  ENOTEMPTY: "not-empty",
  EBUSY: "busy",
  ETXTBSY: "busy",
};

const REASONS: Readonly<Record<FileErrorCode, string>> = {
  "missing": "no such file or folder",
  "exists": "it exists already",
  "denied": "permission denied",
  "read-only": "the disk is mounted read-only",
  "disk": "the disk failed",
  "full": "the disk is full",
  "too-large": "it is too large",
  "not-a-directory": "a part of the path is not a folder",
  "is-a-directory": "it is a folder",
  "not-empty": "the folder is not empty",
  "not-a-file": "not a file",
  "busy": "another program is using it",
  "other": "the file system refused",
};

/** Exact meanings of system codes that share one code of the port. */
const EXACT: Readonly<Record<string, string>> = {
  EDQUOT: "this user's share of the disk is used up",
};

/** An operation on a file, as failures name it. */
export interface FileAction {
  /** The verb: `read`, `make folder`. */
  readonly action: string;
  readonly path: string;
  /** The target of a rename, a copy or a link. */
  readonly to?: string;
}

/** Linux's numbers for which Node has no code. */
const UNNAMED: Readonly<Record<string, string>> = { "74": "EBADMSG", "117": "EUCLEAN" };

/** Returns the runtime's own code of an error, or `""`. */
export function errnoOf(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  if (typeof code !== "string") return "";
  const [, number = ""] = /^Unknown system error -([0-9]+)$/.exec(code) ?? [];
  return UNNAMED[number] ?? code;
}

/** Translates the runtime's error into the port's; returns anything except a file system error unchanged. */
function asFileError(thrown: unknown, { action, path, to }: FileAction): unknown {
  const errno = errnoOf(thrown);
  // The runtime refuses such a name before the system is asked: no file has it.
  const hasNul = path.includes("\0") || to?.includes("\0") === true;
  if (thrown instanceof FileError || !hasNul && !/^E[A-Z0-9]+$/.test(errno)) return thrown;
  const code = hasNul ? "missing" : CODES[errno] ?? "other";
  const what = to === undefined ? path : `${path} to ${to}`;
  const reason = EXACT[errno] ?? REASONS[code];
  return new FileError(code, path, `Cannot ${action} ${what}: ${reason} (${errno})`, thrown);
}

/** Runs one operation of the file system, and names the file in its failures. */
export async function named<T>(action: FileAction, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (thrown) {
    throw asFileError(thrown, action);
  }
}

/** {@linkcode named}, with a missing file as an answer. */
export async function orMissing<T>(
  action: FileAction,
  operation: () => Promise<T>,
): Promise<T | null> {
  try {
    return await named(action, operation);
  } catch (thrown) {
    // Nothing can exist below a file: that counts as missing too.
    const nothing = thrown instanceof FileError &&
      (thrown.code === "missing" ||
        (thrown.code === "not-a-directory" && await isNowhere(action.path)));
    if (nothing) return null;
    throw thrown;
  }
}

async function isNowhere(path: string): Promise<boolean> {
  return await lstat(path).then(() => false, () => true);
}
