import type { Dirent, Stats } from "node:fs";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { compareCodeUnits } from "../../lib/core/json.ts";
import type { DirectoryEntry, FileKind, Files, FileStat } from "../../lib/ports/files.ts";
import { inFolderOf, makeFoldersAt, removeAt, withFolder } from "./at-folder.ts";
import { errnoOf, named, orMissing } from "./file-failures.ts";
import { createBuffers, openStream, readInPlace, readPart, readWhole } from "./file-reads.ts";
import { specialKind } from "./open-file.ts";
import {
  appendTo,
  copyFile,
  renameOver,
  syncPath,
  writeAtomic,
  writeInPlace,
} from "./file-writes.ts";

const onWindows = process.platform === "win32";

/** The file system of this machine, on `node:fs`. */
export function createFiles(): Files {
  const buffers = createBuffers();
  return {
    stat: (path) => orMissing({ action: "look at", path }, () => statOf(path)),
    realPath: (path) => orMissing({ action: "look at", path }, () => fs.realpath(path)),
    list: (directory, links) =>
      orMissing(
        { action: "list", path: directory },
        () => links === "refused" ? withFolder(directory, entriesOf) : entriesOf(directory),
      ),
    read: (path, maxBytes, signal, links) =>
      orMissing({ action: "read", path }, () => readWhole(path, maxBytes, { signal, links })),
    openRead: (path, signal, links) =>
      orMissing({ action: "read", path }, () => openStream(path, { signal, links })),
    readChunks: (path, signal, links) =>
      orMissing({ action: "read", path }, () => readInPlace(buffers, path, { signal, links })),
    readRange: (path, offset, length, into, links) =>
      orMissing(
        { action: "read", path },
        () => readPart(path, { at: offset, length, into, links }),
      ),
    write: writeInPlace,
    writeAtomic,
    append: appendTo,
    makeDirectory: (path, links) =>
      named(
        { action: "make folder", path },
        () => links === "refused" ? makeFoldersAt(path) : makeFolders(path),
      ),
    makeTemporaryDirectory: (prefix) =>
      named(
        { action: "make folder", path: join(tmpdir(), prefix) },
        () => fs.mkdtemp(join(tmpdir(), prefix)),
      ),
    rename: (from, to, links) =>
      named(
        { action: "rename", path: from, to },
        () => inFolderOf(from, links, (old) => inFolderOf(to, links, (at) => renameOver(old, at))),
      ),
    copy: copyFile,
    link: (from, to) => named({ action: "link", path: from, to }, () => fs.link(from, to)),
    symlink: (target, path) => named({ action: "make link", path }, () => fs.symlink(target, path)),
    async remove(path, links) {
      await orMissing(
        { action: "remove", path },
        () => links === "refused" && !onWindows ? removeAt(path) : removePath(path),
      );
    },
    setMode: (path, mode) =>
      named({ action: "set the mode of", path }, async () => {
        if (!onWindows) await fs.chmod(path, mode);
      }),
    sync: (path) => named({ action: "sync", path }, () => syncPath(path)),
    freeSpace: (path) =>
      named({ action: "look at the disk of", path }, async () => {
        const { bavail, bsize } = await fs.statfs(path);
        return bavail * bsize;
      }),
  };
}

async function removePath(path: string): Promise<void> {
  try {
    // A file takes one call; everything else is for `rm`.
    if (!onWindows) return await fs.unlink(path);
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT") return;
  }
  await fs.rm(path, { recursive: true, force: true, maxRetries: onWindows ? 10 : 0 });
}

async function statOf(path: string): Promise<FileStat> {
  const stat = await fs.lstat(path);
  const kind = kindOf(stat);
  return {
    kind,
    size: kind === "file" ? stat.size : 0,
    mtimeMs: stat.mtimeMs,
    mode: stat.mode & 0o7777,
    // Windows has both, but Deno does not report them there.
    ...(stat.ctimeMs > 0 && { changedMs: stat.ctimeMs }),
    ...(stat.ino > 0 && { inode: stat.ino }),
  };
}

function kindOf(
  entry: Pick<Stats, "isFile" | "isDirectory" | "isSymbolicLink" | "isFIFO" | "isSocket">,
): FileKind {
  if (entry.isSymbolicLink()) return "symlink";
  return entry.isFile() ? "file" : entry.isDirectory() ? "directory" : specialKind(entry);
}

async function entriesOf(directory: string): Promise<DirectoryEntry[]> {
  const entries = await fs.readdir(directory, { withFileTypes: true });
  const named = entries.map(async (entry) => ({
    name: entry.name,
    kind: await kindIn(directory, entry),
  }));
  return (await Promise.all(named)).sort((a, b) => compareCodeUnits(a.name, b.name));
}

/**
 * Node reports ENOENT on a read-only disk: only creating the first missing folder reports the
 * reason.
 */
async function makeFolders(path: string): Promise<void> {
  try {
    await fs.mkdir(path, { recursive: true });
  } catch (thrown) {
    const parent = dirname(path);
    if (errnoOf(thrown) !== "ENOENT" || parent === path) throw thrown;
    await makeFolders(parent);
    await fs.mkdir(path);
  }
}

/** Deno's entries do not distinguish a FIFO from a device. */
async function kindIn(directory: string, entry: Dirent): Promise<FileKind> {
  if (entry.isFile() || entry.isDirectory() || entry.isSymbolicLink()) return kindOf(entry);
  return kindOf(await fs.lstat(join(directory, entry.name)).catch(() => entry));
}
