import { constants, fstatSync, readlinkSync, type Stats } from "node:fs";
import * as fs from "node:fs/promises";
import { normalize } from "node:path";
import process from "node:process";
import { FileError, SPECIAL_FILES, type SpecialFile } from "../../lib/core/file-error.ts";
import type { Links } from "../../lib/ports/files.ts";
import { errnoOf } from "./file-failures.ts";

// Windows has neither flag, and no file there blocks an open.
const { O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;

/** macOS refuses a path with any link in it (open(2): `O_NOFOLLOW_ANY`), others with one at its end. */
export const NO_LINKS: number = process.platform === "darwin"
  ? 0x2000_0000
  : constants.O_NOFOLLOW ?? 0;

/** The flags of an open, independent of the existing file. */
const FLAGS = {
  read: constants.O_RDONLY,
  /** Creates a missing file, empties an existing one. */
  write: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
  append: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
} as const;

/** Options of an open. */
export interface OpenRequest {
  readonly access: keyof typeof FLAGS;
  /** The verb of a refusal; `access` when absent. */
  readonly action?: string;
  /** Permission bits of a new file. */
  readonly mode?: number;
  /** Accepts other kinds besides a regular file. */
  readonly also?: (stat: Stats) => boolean;
  /** Default `followed`. `refused at the end`: the folder is known to be the right one. */
  readonly links?: Links | "refused at the end" | undefined;
}

/** An open file. */
export interface OpenedFile {
  readonly file: fs.FileHandle;
  /** Read from the handle, so that no other file can have replaced it. */
  readonly stat: Stats;
}

/**
 * Opens a regular file. Without `O_NONBLOCK`, opening a FIFO blocks a thread until its other end is
 * opened, possibly for ever. The facts come from the handle rather than from the path.
 *
 * @throws {FileError} `is-a-directory`, or `not-a-file` for a FIFO, a socket or a device.
 */
export async function openFile(
  path: string,
  { access, action = access, mode = 0o666, also = () => false, links = "followed" }: OpenRequest,
): Promise<OpenedFile> {
  let file: fs.FileHandle;
  try {
    const flags = links === "followed" ? 0 : NO_LINKS;
    file = await fs.open(path, FLAGS[access] | O_NONBLOCK | O_NOCTTY | flags, mode);
  } catch (thrown) {
    if (links !== "followed" && errnoOf(thrown) === "ELOOP") throw gone(path);
    // Linux and macOS refuse with these codes to open a socket, or to write to a FIFO without a
    // reader.
    if (!["ENXIO", "EOPNOTSUPP", "ENOTSUP"].includes(errnoOf(thrown))) throw thrown;
    const stat = await fs.stat(path);
    throw stat.isFile() ? thrown : notAFile(path, stat, action);
  }
  try {
    const stat = fstatSync(file.fd); // synchronous: the system has it at hand, a thread costs more
    if (links === "refused" && !await liesAt(file, path)) throw gone(path);
    if (!stat.isFile() && !also(stat)) throw notAFile(path, stat, action);
    return { file, stat };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/** Returns whether an open file or folder is the one at this path, without a link on the way. */
export async function liesAt(file: fs.FileHandle, spelled: string): Promise<boolean> {
  const path = normalize(spelled); // on Windows it may contain `/`
  const named = nameOf(file);
  // Another file may have been renamed over it.
  if (named !== null) return named === path || named === `${path} (deleted)`;
  const [opened, there] = await Promise.all([
    file.stat({ bigint: true }),
    fs.lstat(path, { bigint: true }),
  ]);
  return opened.dev === there.dev && opened.ino === there.ino && await fs.realpath(path) === path;
}

/**
 * Returns the path of an open file according to the system (proc(5)); `null` if it does not report
 * one.
 */
export function nameOf({ fd }: fs.FileHandle): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`); // synchronous: the system answers from memory
  } catch {
    return null;
  }
}

function gone(path: string): FileError {
  return new FileError(
    "missing",
    path,
    `Cannot open ${path}: it has gone, or a link leads there now`,
  );
}

/** Creates the refusal of anything but a regular file. */
export function notAFile(path: string, stat: Stats, action: string): FileError {
  if (stat.isDirectory()) {
    return new FileError("is-a-directory", path, `Cannot ${action} ${path}: it is a folder`);
  }
  const kind = SPECIAL_FILES[specialKind(stat)];
  return new FileError("not-a-file", path, `Cannot ${action} ${path}: not a file: ${kind}`);
}

/** Classifies anything except a file, a folder or a link. */
export function specialKind(stat: Pick<Stats, "isFIFO" | "isSocket">): SpecialFile {
  return stat.isFIFO() ? "fifo" : stat.isSocket() ? "socket" : "device";
}
