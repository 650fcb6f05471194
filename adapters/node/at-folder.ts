import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import process from "node:process";
import { FileError } from "../../lib/core/file-error.ts";
import type { Links } from "../../lib/ports/files.ts";
import { errnoOf } from "./file-failures.ts";
import { liesAt, nameOf, NO_LINKS } from "./open-file.ts";

const { O_DIRECTORY = 0, O_NONBLOCK = 0 } = constants;
/** Linux: opens a folder as a place alone, which needs no right to read it (open(2)); Node has no name for it. */
const O_PATH = process.platform === "linux" ? 0o10_000_000 : 0;
const onWindows = process.platform === "win32";

/**
 * Runs work in the folder of a path. If links are refused, Linux keeps the folder open, and the
 * work is done in exactly that folder, even if its name leads elsewhere by then. Other systems
 * cannot name a file by an open folder: there the folder is checked immediately before.
 *
 * @param act Gets the path by which to name the file.
 * @throws {FileError} `missing` if a link leads to the folder.
 */
export async function inFolderOf<T>(
  path: string,
  links: Links | undefined,
  act: (at: string) => Promise<T>,
): Promise<T> {
  if (links !== "refused") return await act(path);
  return await withFolder(dirname(path), async (folder) => {
    const at = `${folder}/${basename(path)}`;
    try {
      return await act(at);
    } catch (thrown) {
      if (!(thrown instanceof FileError) || thrown.path !== at) throw thrown;
      throw new FileError(thrown.code, path, thrown.message.replaceAll(at, path), thrown.cause);
    }
  });
}

/** {@linkcode inFolderOf}, of a folder itself. */
export async function withFolder<T>(
  spelled: string,
  act: (folder: string) => Promise<T>,
): Promise<T> {
  const path = resolve(spelled); // also without a separator at its end
  if (onWindows) {
    if (await fs.realpath(path) !== path) throw gone(path);
    return await act(path);
  }
  const folder = await open(path);
  try {
    if (!await liesAt(folder, path)) throw gone(path);
    return await act(nameOf(folder) === null ? path : `/proc/self/fd/${folder.fd}`);
  } finally {
    await folder.close();
  }
}

async function open(path: string): Promise<fs.FileHandle> {
  try {
    return await fs.open(path, constants.O_RDONLY | O_DIRECTORY | O_NONBLOCK | NO_LINKS);
  } catch (thrown) {
    // A user without the right to list a folder may still write there.
    if (errnoOf(thrown) === "EACCES" && O_PATH !== 0) {
      return await fs.open(path, O_PATH | O_DIRECTORY | NO_LINKS);
    }
    const isLink = errnoOf(thrown) === "ELOOP" ||
      errnoOf(thrown) === "ENOTDIR" && (await fs.lstat(path)).isSymbolicLink();
    throw isLink ? gone(path) : thrown;
  }
}

/** Makes a folder and its missing parents, none of them through a link. */
export async function makeFoldersAt(path: string): Promise<void> {
  const there = await fs.lstat(path).catch((thrown: unknown) => {
    if (errnoOf(thrown) === "ENOENT") return null;
    throw thrown;
  });
  if (there?.isDirectory()) return;
  if (there?.isSymbolicLink()) throw gone(path);
  if (there === null && dirname(path) !== path) await makeFoldersAt(dirname(path));
  await inFolderOf(path, "refused", async (at) => {
    await fs.mkdir(at).catch(async (thrown: unknown) => {
      // Another process may have been first.
      if (errnoOf(thrown) !== "EEXIST" || !(await fs.lstat(at)).isDirectory()) throw thrown;
    });
  });
}

/**
 * Removes a file or a complete folder, each entry in exactly the folder that was listed: `fs.rm` of
 * Node follows a link that replaces a folder in between. Skips entries that another process removes
 * at the same time.
 */
export async function removeAt(path: string): Promise<void> {
  await inFolderOf(path, "refused", removeTree);
}

async function removeTree(at: string): Promise<void> {
  if (!(await fs.lstat(at)).isDirectory()) return await fs.unlink(at);
  const folder = await open(at);
  try {
    const inside = nameOf(folder) === null ? at : `/proc/self/fd/${folder.fd}`;
    for (const name of await fs.readdir(inside)) {
      await removeTree(`${inside}/${name}`).catch((thrown: unknown) => {
        // A link that has replaced a folder stays: removing the folder that holds it then fails.
        if (errnoOf(thrown) !== "ENOENT" && !(thrown instanceof FileError)) throw thrown;
      });
    }
  } finally {
    await folder.close();
  }
  await fs.rmdir(at);
}

function gone(path: string): FileError {
  return new FileError(
    "missing",
    path,
    `Cannot use ${path}: it has gone, or a link leads there now`,
  );
}
