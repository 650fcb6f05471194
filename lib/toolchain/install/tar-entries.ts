import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { FileError } from "../../core/file-error.ts";
import { messageOf } from "../../core/result.ts";
import {
  type ArchiveEntry,
  ArchiveError,
  type ArchiveSource,
  type EntryKind,
} from "./archive-entry.ts";
import { gunzip, PIECE_BYTES } from "./archive-gunzip.ts";

/** What is read from the disk at once, in bytes. */
const BLOCK_BYTES = 8 * PIECE_BYTES;
/** The shortest gzip file: a header, an empty block, the trailer. */
const SHORTEST = 20;

/**
 * Walks the entries of a `.tar.gz`. It must be one gzip member that holds one whole tar, and nothing
 * else before, between or behind.
 *
 * @throws {ArchiveError} Naming the entry at which it is damaged; {@linkcode FileError}.
 */
export async function* tarEntries(source: ArchiveSource): AsyncGenerator<ArchiveEntry> {
  const length = await announcedLength(source);
  const decoder = createTarDecoder({ strict: true });
  const plain = gunzip(piecesOf(source));
  const pumped = pump(plain, decoder.writable.getWriter(), length);
  const reader = decoder.readable.getReader();
  let entry: string | null = null;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      entry = value.header.name;
      yield entryOf(value);
      // What nobody opened is skipped; of what was opened nothing is left.
      if (!value.body.locked) await value.body.cancel();
    }
  } catch (thrown) {
    throw explained(thrown, entry, source.signal);
  } finally {
    await reader.cancel().catch(() => undefined); // failed already, and said so
    await pumped;
  }
}

/** Brings the tar to its decoder, whose failures its reader hears of. */
async function pump(
  plain: AsyncIterable<Uint8Array>,
  decoder: WritableStreamDefaultWriter<Uint8Array>,
  length: number,
): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of plain) {
      size += chunk.length;
      const taken = await decoder.write(chunk).then(() => true, () => false);
      if (!taken) return;
    }
    // Node reads on after the first member, and past what is none.
    if (size % 2 ** 32 !== length) {
      throw new ArchiveError(
        null,
        `its gzip data holds ${size} bytes, and its end tells of ${length}: it is cut short, or ` +
          "followed by something else",
      );
    }
  } catch (thrown) {
    await decoder.abort(gzipFailure(thrown)).catch(() => undefined); // its reader is told
    return;
  }
  await decoder.close().catch(() => undefined); // its reader is told
}

function gzipFailure(thrown: unknown): unknown {
  if (thrown instanceof FileError || thrown instanceof ArchiveError) return thrown;
  return new ArchiveError(
    null,
    `its gzip data is damaged or cut short (${messageOf(thrown)})`,
    thrown,
  );
}

/** The bytes that should come out, modulo 2^32: the file's last four (RFC 1952 §2.3.1). */
async function announcedLength({ files, path, size }: ArchiveSource): Promise<number> {
  const head = await files.readRange(path, 0, 3);
  const tail = size < SHORTEST ? null : await files.readRange(path, size - 4, 4);
  if (head?.join() !== "31,139,8" || tail?.length !== 4) {
    throw new ArchiveError(null, "it is no gzip file");
  }
  return new DataView(tail.buffer).getUint32(0, true);
}

async function* piecesOf(
  { files, path, size, signal, onRead }: ArchiveSource,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < size;) {
    signal?.throwIfAborted();
    const block = await files.readRange(path, at, Math.min(BLOCK_BYTES, size - at));
    if (block === null || block.length === 0) {
      throw new FileError("missing", path, `Cannot read ${path}: it became shorter meanwhile`);
    }
    for (let from = 0; from < block.length; from += PIECE_BYTES) {
      const piece = block.subarray(from, from + PIECE_BYTES);
      onRead(piece.length);
      yield piece;
    }
    at += block.length;
  }
}

/** Ends the body where the reader stops, so that the decoder goes on to the next entry. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // failed already, and said so
  }
}

const KINDS: Readonly<Record<string, EntryKind>> = {
  "file": "file",
  "directory": "directory",
  "symlink": "symlink",
  "link": "hardlink",
};

function entryOf({ header, body }: ParsedTarEntry): ArchiveEntry {
  const { name, size, mode = 0, type = "file", linkname = "", pax = {} } = header;
  const kind = KINDS[type];
  if (kind === undefined) throw new ArchiveError(name, `is a ${type}, expected files and links`);
  const sparse = Object.keys(pax).find((key) => key.startsWith("GNU.sparse."));
  if (sparse !== undefined) throw new ArchiveError(name, "is a sparse file, expected plain ones");
  return {
    name,
    kind,
    size: kind === "file" ? size : 0,
    mode,
    target: linkname,
    independent: false,
    open: () => chunksOf(body),
  };
}

/** What a failure means: the disk's and the caller's own stay what they are. */
function explained(thrown: unknown, entry: string | null, signal?: AbortSignal): unknown {
  if (thrown instanceof FileError || signal?.aborted) return thrown;
  if (thrown instanceof ArchiveError) {
    return thrown.entry === null ? new ArchiveError(entry, thrown.message, thrown.cause) : thrown;
  }
  return new ArchiveError(entry, `the tar is damaged or cut short (${messageOf(thrown)})`, thrown);
}
