import { constants } from "node:fs";
import process from "node:process";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { randomUUID } from "node:crypto";
import { FileError, type FileErrorCode } from "../../lib/core/file-error.ts";
import { compareCodeUnits } from "../../lib/core/json.ts";
import type {
  DirectoryEntry,
  FileBody,
  FileKind,
  Files,
  FileStat,
  WriteOptions,
} from "../../lib/ports/files.ts";

const CHUNK_BYTES = 256 * 1024;
const onWindows = process.platform === "win32";

/** The file system of this machine, on `node:fs`. */
export function createFiles(): Files {
  return {
    stat: (path) => orMissing(() => statOf(path), path),
    realPath: (path) => orMissing(() => fs.realpath(path), path),
    list: (directory) => orMissing(() => listOf(directory), directory),
    read: (path, maxBytes, signal) => orMissing(() => readWhole(path, maxBytes, signal), path),
    openRead: (path, signal) => orMissing(() => openStream(path, signal), path),
    readRange: (path, offset, length) => orMissing(() => readPart(path, offset, length), path),
    write: (path, body, options) => named("write", path, () => writeInPlace(path, body, options)),
    writeAtomic: (path, body, options) =>
      named("write", path, () => writeBeside(path, body, options)),
    makeDirectory: (path) =>
      named("make folder", path, async () => void await fs.mkdir(path, { recursive: true })),
    makeTemporaryDirectory: (prefix) =>
      named("make folder", prefix, () => fs.mkdtemp(join(tmpdir(), prefix))),
    rename: (from, to) => named("rename", from, () => renameOver(from, to)),
    copy: (from, to) =>
      named("copy", from, () => fs.copyFile(from, to, constants.COPYFILE_FICLONE)),
    link: (from, to) => named("link", to, () => fs.link(from, to)),
    remove: (path) =>
      orMissing(
        () => fs.rm(path, { recursive: true, force: true, maxRetries: onWindows ? 10 : 0 }),
        path,
        "remove",
      ).then(() => undefined),
    setMode: (path, mode) =>
      named(
        "set the mode of",
        path,
        async () => onWindows ? undefined : await fs.chmod(path, mode),
      ),
    sync: (path) => named("sync", path, () => syncPath(path)),
    freeSpace: (path) =>
      named("look at the disk of", path, async () => {
        const { bavail, bsize } = await fs.statfs(path);
        return bavail * bsize;
      }),
  };
}

async function statOf(path: string): Promise<FileStat> {
  const stat = await fs.lstat(path);
  const kind = kindOf(stat);
  return {
    kind,
    size: kind === "file" ? stat.size : 0,
    mtimeMs: stat.mtimeMs,
    mode: stat.mode & 0o7777,
  };
}

function kindOf(
  entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean },
): FileKind {
  if (entry.isSymbolicLink()) return "symlink";
  return entry.isFile() ? "file" : entry.isDirectory() ? "directory" : "other";
}

async function listOf(directory: string): Promise<DirectoryEntry[]> {
  const entries = await fs.readdir(directory, { withFileTypes: true });
  return entries
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
    .sort((a, b) => compareCodeUnits(a.name, b.name));
}

async function readWhole(
  path: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  signal?.throwIfAborted();
  const file = await fs.open(path, "r");
  try {
    const stat = await file.stat();
    const { size } = stat;
    if (stat.isDirectory()) {
      throw new FileError("is-a-directory", path, `Cannot read ${path}: it is a folder`);
    }
    if (size > maxBytes) throw tooLarge(path, size, maxBytes);
    const bytes = new Uint8Array(size);
    const length = await fill(file, bytes, 0, signal);
    // One more byte than was there when it was measured: the file is growing.
    if (length === size && (await file.read(new Uint8Array(1), 0, 1, size)).bytesRead > 0) {
      throw new FileError("busy", path, `Cannot read ${path}: it is being written`);
    }
    return length === size ? bytes : bytes.slice(0, length);
  } finally {
    await file.close();
  }
}

function tooLarge(path: string, size: number, maxBytes: number): FileError {
  return new FileError(
    "too-large",
    path,
    `Cannot read ${path}: it has ${size} bytes, expected at most ${maxBytes}`,
  );
}

/** Reads until the array is full or the file ends. @returns Bytes read. */
async function fill(
  file: fs.FileHandle,
  bytes: Uint8Array,
  offset: number,
  signal?: AbortSignal,
): Promise<number> {
  let length = 0;
  while (length < bytes.length) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, offset + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}

async function readPart(
  path: string,
  offset: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const file = await fs.open(path, "r");
  try {
    const bytes = new Uint8Array(length);
    const read = await fill(file, bytes, offset);
    return read === length ? bytes : bytes.slice(0, read);
  } finally {
    await file.close();
  }
}

async function openStream(path: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  signal?.throwIfAborted();
  const file = await fs.open(path, "r");
  let open = true;
  let onAbort = () => {};
  const close = async () => {
    if (!open) return;
    open = false;
    signal?.removeEventListener("abort", onAbort);
    await file.close();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      onAbort = () => {
        controller.error(signal?.reason);
        void close();
      };
      signal?.addEventListener("abort", onAbort, { once: true });
    },
    async pull(controller) {
      try {
        const chunk = new Uint8Array(CHUNK_BYTES);
        const { bytesRead } = await file.read(chunk, 0, chunk.length);
        if (!open) return;
        if (bytesRead > 0) return controller.enqueue(chunk.subarray(0, bytesRead));
        await close();
        controller.close();
      } catch (thrown) {
        if (!open) return; // aborted while reading: the stream has failed already
        await close();
        controller.error(asFileError("read", path, thrown));
      }
    },
    cancel: close,
  }, { highWaterMark: 0 });
}

async function writeInPlace(
  path: string,
  body: FileBody,
  options: WriteOptions = {},
): Promise<number> {
  const { mode = 0o666, createNew = false, sync = false, signal } = options;
  let file: fs.FileHandle;
  let isNew = createNew;
  try {
    signal?.throwIfAborted();
    isNew = createNew || await orMissing(() => fs.lstat(path), path) === null;
    file = await fs.open(path, createNew ? "wx" : "w", mode);
  } catch (thrown) {
    await cancelBody(body, thrown);
    throw thrown;
  }
  let written: number;
  try {
    written = await writeBody(file, body, signal);
    if (sync) await file.sync();
  } catch (thrown) {
    await file.close();
    if (isNew) await fs.rm(path, { force: true });
    throw thrown;
  }
  await file.close();
  return written;
}

async function writeBody(
  file: fs.FileHandle,
  body: FileBody,
  signal?: AbortSignal,
): Promise<number> {
  if (body instanceof Uint8Array) return await writeChunk(file, body, signal);
  let written = 0;
  const sink = new WritableStream<Uint8Array>({
    async write(chunk) {
      written += await writeChunk(file, chunk, signal);
    },
  });
  await body.pipeTo(sink, signal ? { signal } : {});
  return written;
}

async function writeChunk(
  file: fs.FileHandle,
  chunk: Uint8Array,
  signal?: AbortSignal,
): Promise<number> {
  let written = 0;
  while (written < chunk.length) {
    signal?.throwIfAborted();
    written += (await file.write(chunk, written, chunk.length - written)).bytesWritten;
  }
  return written;
}

async function cancelBody(body: FileBody, reason: unknown): Promise<void> {
  if (body instanceof ReadableStream) await body.cancel(reason).catch(() => undefined);
}

async function writeBeside(
  path: string,
  body: FileBody,
  options: WriteOptions = {},
): Promise<number> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const written = await writeInPlace(temporary, body, { ...options, createNew: true, sync: true });
  try {
    options.signal?.throwIfAborted();
    if (options.createNew) {
      await fs.link(temporary, path); // unlike a rename, it fails where something is in the way
      await fs.rm(temporary);
    } else {
      await renameOver(temporary, path);
    }
  } catch (thrown) {
    await fs.rm(temporary, { force: true });
    throw thrown;
  }
  await syncPath(dirname(path));
  return written;
}

/** On Windows a virus scanner may hold the target for a moment. */
async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      return await fs.rename(from, to);
    } catch (thrown) {
      const held = onWindows && ["EPERM", "EBUSY", "EACCES"].includes(codeOf(thrown));
      if (!held || attempt === 10) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 50 * attempt));
    }
  }
}

async function syncPath(path: string): Promise<void> {
  if (onWindows && (await fs.lstat(path)).isDirectory()) return; // cannot be asked for there
  const file = await fs.open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function named<T>(action: string, path: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (thrown) {
    throw asFileError(action, path, thrown);
  }
}

async function orMissing<T>(
  operation: () => Promise<T>,
  path: string,
  action = "read",
): Promise<T | null> {
  try {
    return await operation();
  } catch (thrown) {
    const error = asFileError(action, path, thrown);
    // Below a file nothing can be: that is not there either.
    const nothing = error instanceof FileError &&
      (error.code === "missing" || (error.code === "not-a-directory" && await isBelowFile(path)));
    if (nothing) return null;
    throw error;
  }
}

async function isBelowFile(path: string): Promise<boolean> {
  return await fs.lstat(path).then(() => false, () => true);
}

const CODES: Readonly<Record<string, FileErrorCode>> = {
  ENOENT: "missing",
  ENOTDIR: "not-a-directory",
  EEXIST: "exists",
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "denied",
  ENOSPC: "full",
  EDQUOT: "full",
  EISDIR: "is-a-directory",
  ENOTEMPTY: "not-empty",
  EBUSY: "busy",
  ETXTBSY: "busy",
};

function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : "";
}

/** What the runtime threw, in the port's words. Whatever is no file system error is left as it is. */
function asFileError(action: string, path: string, thrown: unknown): unknown {
  const errno = codeOf(thrown);
  if (thrown instanceof FileError || !/^E[A-Z0-9]+$/.test(errno)) return thrown;
  const code = CODES[errno] ?? "other";
  return new FileError(code, path, `Cannot ${action} ${path}: ${REASONS[code]} (${errno})`, thrown);
}

const REASONS: Readonly<Record<FileErrorCode, string>> = {
  "missing": "nothing is there",
  "exists": "something is there already",
  "denied": "this user may not",
  "full": "the disk is full",
  "too-large": "it is too large",
  "not-a-directory": "a part of the path is not a folder",
  "is-a-directory": "it is a folder",
  "not-empty": "the folder is not empty",
  "busy": "another program uses it",
  "other": "the file system refused",
};
