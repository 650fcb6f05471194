import { concatBytes, encodeUtf8 } from "../../core/bytes.ts";
import { parseJson } from "../../core/json-text.ts";
import { isRecord, own } from "../../core/json.ts";
import type { Files } from "../../ports/files.ts";
import type { PinnedHashes } from "./hashes.ts";

// A partial download: `<to>.part` with the bytes, `<to>.part.json` with what they are from.
// The hash is computed from the bytes on disk, again when a download resumes: nothing else is trusted.

/** The part of the file system that downloads use. */
export type DownloadFiles = Pick<
  Files,
  | "stat"
  | "read"
  | "openRead"
  | "append"
  | "writeAtomic"
  | "makeDirectory"
  | "rename"
  | "remove"
  | "sync"
>;

/** Source of the bytes of a partial download. */
export interface PartialSource {
  /** Validator for `If-Range`, or `null`. */
  readonly validator: string | null;
  /** Bytes in all, as the server announced them, or `null`. */
  readonly total: number | null;
}

/** A download on the disk that is not complete yet. */
export interface PartialDownload {
  /** Bytes that are there. */
  readonly done: number;
  /** Source of the bytes. */
  readonly source: PartialSource;
  /** Throws away what is there and starts over. */
  begin(source: PartialSource): Promise<void>;
  /** Adds bytes, to the hash immediately and to the disk soon. @returns Whether the disk was written. */
  add(bytes: Uint8Array): Promise<boolean>;
  /** Writes what is still in memory. */
  flush(): Promise<void>;
  /** Removes both files. */
  discard(): Promise<void>;
  /** Compares the hash, once. @returns What differs, or `null`. */
  difference(): string | null;
  /** Puts the file in its place, durably, and removes the note. */
  finish(): Promise<void>;
}

/** Options of opening a partial download. */
export interface PartialOptions {
  /** Path of the complete file. */
  readonly to: string;
  /** Source of the file, without secrets: a download from another source starts again. */
  readonly origin: string;
  /** The most bytes that the file may have. */
  readonly maxBytes: number;
  readonly files: DownloadFiles;
  readonly newHashes: () => PinnedHashes;
  /** Called while the existing bytes are read again. */
  readonly onRead: (done: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Bytes that are collected before a write: a killed process loses at most this many. */
const WRITE_BYTES = 256 * 1024;
/** Maximum size of a note that is read, in bytes; ours are smaller. */
const NOTE_BYTES = 64 * 1024;

/** Opens what is there of a download, or nothing. */
export async function openPartial(options: PartialOptions): Promise<PartialDownload> {
  const { to, origin, files, newHashes } = options;
  const part = `${to}.part`;
  const note = `${to}.part.json`;
  let hashes = newHashes();
  let source: PartialSource = { validator: null, total: null };
  let done = 0;
  let held: Uint8Array[] = [];
  let heldBytes = 0;

  async function discard(): Promise<void> {
    await files.remove(part);
    await files.remove(note);
    hashes = newHashes();
    [done, held, heldBytes] = [0, [], 0];
  }

  async function flush(): Promise<void> {
    if (heldBytes === 0) return;
    const bytes = concatBytes(held);
    [held, heldBytes] = [[], 0];
    await files.append(part, bytes);
  }

  const known = await readNote(note, options);
  const size = (await files.stat(part))?.size ?? 0;
  const limit = Math.min(options.maxBytes, known?.total ?? Infinity);
  if (known === null || size === 0 || size > limit) {
    await discard();
  } else {
    source = known;
    done = await readInto(part, hashes, { ...options, size });
  }

  return {
    get done() {
      return done;
    },
    get source() {
      return source;
    },
    async begin(from) {
      await discard();
      source = from;
      await files.writeAtomic(note, encodeUtf8(JSON.stringify({ schema: 1, origin, ...from })));
    },
    async add(bytes) {
      hashes.update(bytes);
      held.push(bytes);
      heldBytes += bytes.length;
      done += bytes.length;
      if (heldBytes < WRITE_BYTES) return false;
      await flush();
      return true;
    },
    flush,
    discard,
    difference: () => hashes.difference(),
    async finish() {
      if (done === 0) await files.append(part, new Uint8Array());
      await files.sync(part);
      await files.rename(part, to);
      await files.remove(note);
      await files.sync(folderOf(to));
    },
  };
}

/** Checks a file's bytes. @returns Its size, and what differs or `null`; `null` when it is not a file. */
export async function checkFile(
  path: string,
  { files, hashes, onRead, signal }: {
    readonly files: Pick<Files, "stat" | "openRead">;
    readonly hashes: PinnedHashes;
    readonly onRead: (done: number, total: number) => void;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<{ readonly bytes: number; readonly difference: string | null } | null> {
  const stat = await files.stat(path);
  if (stat?.kind !== "file") return null;
  const bytes = await readInto(path, hashes, { files, size: stat.size, onRead, signal });
  return { bytes, difference: hashes.difference() };
}

/** The folder of a path in either spelling. */
export function folderOf(path: string): string {
  const folder = path.replace(/[\\/][^\\/]*$/, "");
  return folder === "" || /^[A-Za-z]:$/.test(folder) ? path.slice(0, folder.length + 1) : folder;
}

async function readInto(
  path: string,
  hashes: PinnedHashes,
  { files, size, onRead, signal }: {
    readonly files: Pick<Files, "openRead">;
    readonly size: number;
    readonly onRead: (done: number, total: number) => void;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<number> {
  const body = await files.openRead(path, signal);
  if (body === null) return 0;
  let done = 0;
  const sink = new WritableStream<Uint8Array>({
    write(chunk) {
      hashes.update(chunk);
      done += chunk.length;
      onRead(done, size);
    },
  });
  await body.pipeTo(sink, signal ? { signal } : {});
  return done;
}

/** Reads the note next to the bytes; `null` if it is missing, damaged or about another source. */
async function readNote(
  path: string,
  { files, origin }: Pick<PartialOptions, "files" | "origin">,
): Promise<PartialSource | null> {
  const bytes = await files.read(path, NOTE_BYTES).catch(() => null); // then it is not a note of ours
  const note = parseJson(bytes);
  if (!isRecord(note) || own(note, "schema") !== 1 || own(note, "origin") !== origin) return null;
  const { validator, total } = note;
  if (validator !== null && (typeof validator !== "string" || /[\r\n]/.test(validator))) {
    return null;
  }
  if (total !== null && !(typeof total === "number" && Number.isSafeInteger(total))) return null;
  return { validator, total };
}
