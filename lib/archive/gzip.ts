import { viewOf } from "../core/bytes.ts";
import { FileError } from "../core/file-error.ts";
import { messageOf } from "../core/result.ts";
import { ArchiveError, type ArchiveSource } from "./entry.ts";
import { gunzip, PIECE_BYTES } from "./gunzip.ts";

/** Bytes per read from the disk. */
const BLOCK_BYTES = 8 * PIECE_BYTES;
/** The shortest gzip file: a header, an empty block, the trailer. */
const SHORTEST = 20;

/**
 * Reads a gzip file, which must consist of exactly one member.
 *
 * @throws {ArchiveError} Without an entry, if it is damaged; {@linkcode FileError}.
 */
export async function* gzipBytes(source: ArchiveSource): AsyncGenerator<Uint8Array> {
  const length = await announcedLength(source);
  let size = 0;
  try {
    for await (const chunk of gunzip(piecesOf(source))) {
      size += chunk.length;
      yield chunk;
    }
  } catch (thrown) {
    throw source.signal?.aborted ? thrown : gzipFailure(thrown);
  }
  // Node continues after the first member, and ignores trailing bytes.
  if (size % 2 ** 32 !== length) {
    throw new ArchiveError(
      null,
      `its gzip data holds ${size} bytes, expected the ${length} that its end declares: it is cut ` +
        "short, or followed by something else",
    );
  }
}

function gzipFailure(thrown: unknown): unknown {
  if (thrown instanceof FileError || thrown instanceof ArchiveError) return thrown;
  return new ArchiveError(
    null,
    `its gzip data is damaged or cut short (${messageOf(thrown)}), expected one whole member`,
    thrown,
  );
}

/** The bytes that should come out, modulo 2^32: the file's last four (RFC 1952 §2.3.1). */
async function announcedLength({ files, path, size }: ArchiveSource): Promise<number> {
  const head = await files.readRange(path, 0, 3);
  const tail = size < SHORTEST ? null : await files.readRange(path, size - 4, 4);
  if (head?.join() !== "31,139,8" || tail?.length !== 4) {
    throw new ArchiveError(null, "it is not a gzip file, expected one");
  }
  return viewOf(tail).getUint32(0, true);
}

async function* piecesOf(
  { files, path, size, signal, onRead }: ArchiveSource,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < size;) {
    signal?.throwIfAborted();
    const block = await files.readRange(path, at, Math.min(BLOCK_BYTES, size - at));
    if (block === null || block.length === 0) {
      throw new FileError(
        "missing",
        path,
        `Cannot read ${path}: it became shorter while it was read`,
      );
    }
    for (let from = 0; from < block.length; from += PIECE_BYTES) {
      const piece = block.subarray(from, from + PIECE_BYTES);
      onRead?.(piece.length);
      yield piece;
    }
    at += block.length;
  }
}
