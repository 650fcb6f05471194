import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import type { FileBody, Links, WriteOptions } from "../../lib/ports/files.ts";
import { errnoOf, type FileAction, named } from "./file-failures.ts";
import { inFolderOf } from "./at-folder.ts";
import { Flushing } from "./flushing.ts";
import { NO_LINKS, notAFile, openFile } from "./open-file.ts";

const onWindows = process.platform === "win32";
/** The flags of `wx`. */
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** `Files.write`. */
export async function writeInPlace(
  path: string,
  body: FileBody,
  options: WriteOptions = {},
): Promise<number> {
  const action = { action: "write", path };
  return await inRightFolder(
    { path, body, links: options.links },
    (at) => writeTo(at, body, { ...options, action }),
  );
}

/** `Files.writeAtomic`. */
export async function writeAtomic(
  path: string,
  body: FileBody,
  options: WriteOptions = {},
): Promise<number> {
  return await inRightFolder(
    { path, body, links: options.links },
    (at) => replaceAt(at, { body, options, action: { action: "write", path } }),
  );
}

/** Opens the folder and writes; cancels the body if the folder cannot be used. */
async function inRightFolder(
  { path, body, links }: {
    readonly path: string;
    readonly body: FileBody;
    readonly links: Links | undefined;
  },
  write: (at: string) => Promise<number>,
): Promise<number> {
  let isBegun = false;
  try {
    return await inFolderOf(path, links, (at) => {
      isBegun = true;
      return write(at);
    });
  } catch (thrown) {
    if (isBegun) throw thrown; // named already, if it came from the file system
    if (body instanceof ReadableStream) await body.cancel(thrown).catch(() => undefined);
    return await named({ action: "write", path }, () => Promise.reject(thrown));
  }
}

async function replaceAt(
  path: string,
  { body, options, action }: {
    readonly body: FileBody;
    readonly options: WriteOptions;
    readonly action: FileAction;
  },
): Promise<number> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const exactMode = options.mode === undefined ? await modeOfFile(path) : undefined;
  const written = await writeTo(temporary, body, {
    ...options,
    createNew: true,
    sync: true,
    action,
    ...(exactMode !== undefined && { exactMode }),
  });
  try {
    options.signal?.throwIfAborted();
    await named(action, async () => {
      // Unlike a rename, a link fails if the name is taken.
      if (options.createNew) await fs.link(temporary, path);
      else await renameOver(temporary, path);
    });
  } catch (thrown) {
    await removeQuietly(temporary);
    throw thrown;
  }
  if (options.createNew) await removeQuietly(temporary);
  await named(action, () => syncPath(`${dirname(path)}/.`)); // `/.`: of a link to an open folder, it
  return written;
}

/** `Files.append`. */
export async function appendTo(path: string, bytes: Uint8Array): Promise<void> {
  await named({ action: "write", path }, async () => {
    const { file } = await openFile(path, { access: "append", action: "write", also: takesBytes });
    try {
      await writeChunk(file, bytes);
    } finally {
      await file.close();
    }
  });
}

/** `Files.copy`. */
export async function copyFile(from: string, to: string): Promise<void> {
  await named({ action: "copy", path: from, to }, async () => {
    // Asked to copy a folder, Node first empties the target, and then removes it; at a FIFO on
    // either side it waits.
    const { file } = await openFile(from, { access: "read", action: "copy" });
    try {
      const target = await fs.stat(to).catch(() => null); // the copy itself reports the error
      if (target !== null && !target.isFile() && !takesBytes(target)) {
        throw notAFile(to, target, "copy to");
      }
      await fs.copyFile(from, to, constants.COPYFILE_FICLONE);
    } finally {
      await file.close();
    }
  });
}

/** Renames, and replaces an existing target as the port demands. */
export async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      return await fs.rename(from, to);
    } catch (thrown) {
      const held = onWindows && ["EPERM", "EBUSY", "EACCES"].includes(errnoOf(thrown));
      if (!held || attempt === 10) throw thrown;
      // Windows lets no folder replace an empty one, and a virus scanner may hold a file a moment.
      if (await isFolder(from) && await isFolder(to)) await fs.rmdir(to);
      else await new Promise((resolve) => setTimeout(resolve, 50 * attempt));
    }
  }
}

/** Flushes a file, or a folder if the system can: Windows and some network disks cannot. */
export async function syncPath(path: string): Promise<void> {
  const folder = await isFolder(path);
  if (folder && onWindows) return;
  const file = onWindows
    ? await fs.open(path, "r+") // Windows flushes for writers only
    : (await openFile(path, { access: "read", action: "sync", also: (stat) => stat.isDirectory() }))
      .file;
  try {
    await file.sync();
  } catch (thrown) {
    if (!folder || !["EINVAL", "ENOTSUP", "EOPNOTSUPP"].includes(errnoOf(thrown))) throw thrown;
  } finally {
    await file.close();
  }
}

interface WriteTask extends WriteOptions {
  /** The operation, as failures name it. */
  readonly action: FileAction;
  /** The file's permission bits, independent of the umask. */
  readonly exactMode?: number;
}

async function writeTo(path: string, body: FileBody, task: WriteTask): Promise<number> {
  const { action, signal, sync = false, exactMode } = task;
  let opened: Opened;
  try {
    signal?.throwIfAborted();
    opened = await named(action, () => open(path, task));
  } catch (thrown) {
    if (body instanceof ReadableStream) await body.cancel(thrown).catch(() => undefined);
    throw thrown;
  }
  const { file, isNew } = opened;
  const flushing = new Flushing(file);
  try {
    // The body's own failures do not count as the file system's, whatever their codes.
    const written = await writeBody(body, {
      signal,
      async write(chunk) {
        signal?.throwIfAborted();
        return await named(action, async () => {
          const count = await writeChunk(file, chunk);
          if (sync) flushing.add(count);
          return count;
        });
      },
    });
    await named(action, async () => {
      await flushing.end();
      if (exactMode !== undefined) await file.chmod(exactMode);
      if (sync) await file.sync();
      await file.close(); // some disks are full only here
    });
    return written;
  } catch (thrown) {
    await flushing.end().catch(() => undefined); // the first error is thrown
    await file.close().catch(() => undefined); // closed already, or broken as the write was
    if (isNew) await removeQuietly(path);
    throw thrown;
  }
}

interface Opened {
  readonly file: fs.FileHandle;
  /** Whether this made the file, so that it is this one's to remove. */
  readonly isNew: boolean;
}

async function open(
  path: string,
  { mode = 0o666, createNew = false, links }: WriteTask,
): Promise<Opened> {
  try {
    const noLinks = links === "refused" ? NO_LINKS : 0;
    return { file: await fs.open(path, NEW | noLinks, mode), isNew: true };
  } catch (thrown) {
    if (createNew || errnoOf(thrown) !== "EEXIST") throw thrown;
    return {
      file: (await openFile(path, {
        access: "write",
        mode,
        also: takesBytes,
        ...(links === "refused" && { links: "refused at the end" }),
      })).file,
      isNew: false,
    };
  }
}

/** Returns whether a file is `/dev/null` or similar, at which a write never waits. */
function takesBytes(stat: Stats): boolean {
  return stat.isCharacterDevice();
}

async function writeBody(
  body: FileBody,
  { signal, write }: {
    readonly signal: AbortSignal | undefined;
    readonly write: (chunk: Uint8Array) => Promise<number>;
  },
): Promise<number> {
  if (body instanceof Uint8Array) return await write(body);
  let written = 0;
  if (!(body instanceof ReadableStream)) {
    for await (const chunk of body) written += await write(chunk);
    return written;
  }
  const sink = new WritableStream<Uint8Array>({
    async write(chunk) {
      written += await write(chunk);
    },
  });
  await body.pipeTo(sink, signal ? { signal } : {});
  return written;
}

async function writeChunk(file: fs.FileHandle, chunk: Uint8Array): Promise<number> {
  let written = 0;
  while (written < chunk.length) {
    written += (await file.write(chunk, written, chunk.length - written)).bytesWritten;
  }
  return written;
}

/** The bits of the file that a write replaces: a secret stays one, a program stays one. */
async function modeOfFile(path: string): Promise<number | undefined> {
  if (onWindows) return undefined;
  const stat = await fs.lstat(path).catch(() => null); // the write itself reports the error
  return stat?.isFile() ? stat.mode & 0o7777 : undefined;
}

async function isFolder(path: string): Promise<boolean> {
  return await fs.lstat(path).then((stat) => stat.isDirectory(), () => false);
}

/** Cleans up after a failure, which the caller must get. */
async function removeQuietly(path: string): Promise<void> {
  await fs.rm(path, { force: true }).catch(() => undefined);
}
