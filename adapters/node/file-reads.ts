import { setMaxListeners } from "node:events";
import type { FileHandle } from "node:fs/promises";
import { concatBytes } from "../../lib/core/bytes.ts";
import { FileError } from "../../lib/core/file-error.ts";
import { named } from "./file-failures.ts";
import type { Links } from "../../lib/ports/files.ts";
import { type OpenedFile, openFile } from "./open-file.ts";

const CHUNK_BYTES = 256 * 1024;
const PROBE_BYTES = 4 * 1024;

/** Options of a read. */
interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly links?: Links | undefined;
}

/** `Files.read`. A file that grows during the read is read on, never past the bound. */
export async function readWhole(
  path: string,
  maxBytes: number,
  { signal, links }: ReadOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  signal?.throwIfAborted();
  const { file, stat } = await openFile(path, { access: "read", links });
  try {
    if (stat.size > maxBytes) throw tooLarge(path, maxBytes, `it has ${stat.size} bytes`);
    const first = await readPiece(file, { at: 0, length: stat.size, signal });
    const more: Uint8Array[] = [];
    let size = first.length;
    // A file may have grown, and what the system makes up as it is read has a size of 0.
    for (let ask = PROBE_BYTES;; ask = CHUNK_BYTES) {
      const room = maxBytes + 1 - size; // one byte over the bound shows that there is too much
      const piece = await readPiece(file, { at: size, length: Math.min(ask, room), signal });
      if (piece.length === 0) break;
      size += piece.length;
      if (size > maxBytes) throw tooLarge(path, maxBytes, "it has more bytes");
      more.push(piece);
    }
    return more.length === 0 ? first : concatBytes([first, ...more]);
  } finally {
    await file.close();
  }
}

/** `Files.readRange`. */
export async function readPart(
  path: string,
  { at, length, into, links }: Piece & Pick<ReadOptions, "links">,
): Promise<Uint8Array<ArrayBuffer>> {
  const { file, stat } = await openFile(path, { access: "read", links });
  try {
    const left = Math.max(0, stat.size - at); // no larger buffer than the rest of the file
    return await readPiece(file, { at, length: Math.min(length, left), into });
  } finally {
    await file.close();
  }
}

/** `Files.openRead`. */
export async function openStream(
  path: string,
  { signal, links }: ReadOptions = {},
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  signal?.throwIfAborted();
  const { file } = await openFile(path, { access: "read", links });
  if (signal?.aborted) { // meanwhile: nobody would hear of it any more
    await file.close();
    throw signal.reason;
  }
  if (signal) setMaxListeners(0, signal); // each open file has one; Node would warn of a leak
  let open = true;
  let onAbort = () => {};
  const close = async () => {
    if (!open) return;
    open = false;
    signal?.removeEventListener("abort", onAbort);
    await file.close();
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      onAbort = () => {
        controller.error(signal?.reason);
        close().catch(() => undefined); // the stream has failed already, and with another reason
      };
      signal?.addEventListener("abort", onAbort, { once: true });
    },
    async pull(controller) {
      try {
        const chunk = new Uint8Array(CHUNK_BYTES);
        const { bytesRead } = await named(
          { action: "read", path },
          () => file.read(chunk, 0, chunk.length),
        );
        if (!open) return;
        if (bytesRead > 0) return controller.enqueue(chunk.subarray(0, bytesRead));
        await close();
        controller.close();
      } catch (thrown) {
        if (!open) return; // aborted while reading: the stream has failed already
        await close();
        controller.error(thrown);
      }
    },
    cancel: close,
  }, { highWaterMark: 0 });
}

/** Buffers that one read after another uses. */
export interface Buffers {
  take(): Uint8Array<ArrayBuffer>;
  giveBack(buffer: Uint8Array<ArrayBuffer>): void;
}

/** Creates an empty list of buffers; it grows to the number of parallel reads. */
export function createBuffers(): Buffers {
  const free: Uint8Array<ArrayBuffer>[] = [];
  return {
    take: () => free.pop() ?? new Uint8Array(CHUNK_BYTES),
    giveBack: (buffer) => void free.push(buffer),
  };
}

/** `Files.readChunks`. */
export async function readInPlace(
  buffers: Buffers,
  path: string,
  { signal, links }: ReadOptions = {},
): Promise<AsyncIterable<Uint8Array<ArrayBuffer>>> {
  signal?.throwIfAborted();
  const opened = await openFile(path, { access: "read", links });
  return chunksOf({ ...opened, buffers, path, signal });
}

// Not a closure: V8 gives each generator function its own map, which would keep everything that the
// closure sees of a file alive until a full garbage collection.
async function* chunksOf({ file, stat, buffers, path, signal }: OpenedFile & {
  readonly buffers: Buffers;
  readonly path: string;
  readonly signal: AbortSignal | undefined;
}): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const chunk = buffers.take();
  let size = 0;
  try {
    // Generated files (as in /proc) state a size of 0, so only these need a read that finds their end.
    while (stat.size === 0 || size < stat.size) {
      signal?.throwIfAborted();
      const { bytesRead } = await named(
        { action: "read", path },
        () => file.read(chunk, 0, chunk.length),
      );
      if (bytesRead === 0) return;
      size += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    buffers.giveBack(chunk);
    await file.close();
  }
}

interface Piece {
  readonly at: number;
  readonly length: number;
  readonly signal?: AbortSignal | undefined;
  /** Room for all of it; else new room is made. */
  readonly into?: Uint8Array<ArrayBuffer> | undefined;
}

/** Reads until the piece is full or the file ends. */
async function readPiece(
  file: FileHandle,
  { at, length, signal, into }: Piece,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = into?.subarray(0, length) ?? new Uint8Array(length);
  let read = 0;
  while (read < length) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(bytes, read, length - read, at + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return read === length ? bytes : bytes.slice(0, read);
}

function tooLarge(path: string, maxBytes: number, found: string): FileError {
  return new FileError(
    "too-large",
    path,
    `Cannot read ${path}: ${found}, expected at most ${maxBytes}`,
  );
}
