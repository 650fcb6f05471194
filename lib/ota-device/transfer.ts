import { ArchiveError } from "../archive/mod.ts";
import { FileError } from "../core/file-error.ts";
import { messageOf } from "../core/result.ts";
import type { Sha256 } from "../core/sha256.ts";
import type { ContentRef, StageFailureCode, StageResult } from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";

/**
 * Ends an operation of the device; a staging returns it as its answer, operations without an answer
 * throw it.
 */
export class StageError extends Error {
  readonly code: StageFailureCode;

  constructor(code: StageFailureCode, detail: string, cause?: unknown) {
    super(detail, { cause });
    this.code = code;
  }
}

/** Converts an error of a staging into its result. */
export function stageFailure(thrown: unknown): StageResult & { ok: false } {
  const detail = messageOf(thrown);
  if (thrown instanceof StageError) return { ok: false, code: thrown.code, detail };
  if (thrown instanceof ArchiveError) {
    return {
      ok: false,
      code: "archive",
      detail: `Cannot unpack bundle.zip: ${detail}; publish the version again`,
    };
  }
  return { ok: false, code: diskCode(thrown) ?? "io", detail };
}

/**
 * Returns the code of an error of the disk itself, whatever the operation; `null` for any other
 * (DEV-29).
 */
function diskCode(thrown: unknown): StageFailureCode | null {
  if (!(thrown instanceof FileError)) return null;
  if (thrown.code === "full") return "disk-full";
  if (thrown.code === "read-only") return "disk-read-only";
  return thrown.code === "disk" ? "disk-failed" : null;
}

/** A content as the manifest names it, with its name in failures. */
export type NamedContent = ContentRef & { readonly label: string };

/**
 * Passes bytes through while counting and hashing them; the stream fails as soon as there are more
 * than expected, and at its end when there are fewer or others (DEV-11).
 */
export function verified(
  source: ReadableStream<Uint8Array>,
  expected: NamedContent,
  { hash, onBytes }: { hash: Sha256; onBytes?: (count: number) => void },
): ReadableStream<Uint8Array> {
  let seen = 0;
  return source.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        seen += chunk.length;
        if (seen > expected.size) throw tooMany(expected);
        hash.update(chunk);
        onBytes?.(chunk.length);
        controller.enqueue(chunk);
      },
      flush: () => requireEqual(expected, seen, hash),
    }),
  );
}

/** {@linkcode verified}, of chunks of which each is overwritten when the next is asked for. */
export async function* verifiedChunks(
  source: AsyncIterable<Uint8Array>,
  expected: NamedContent,
  hash: Sha256,
): AsyncGenerator<Uint8Array> {
  let seen = 0;
  for await (const chunk of source) {
    seen += chunk.length;
    if (seen > expected.size) throw tooMany(expected);
    hash.update(chunk);
    yield chunk;
  }
  requireEqual(expected, seen, hash);
}

/** {@linkcode verified}, of bytes at hand: another thread would copy them first, which takes longer. */
export function verifiedBytes<T extends Uint8Array>(
  bytes: T,
  expected: NamedContent,
  hash: Sha256,
): T {
  hash.update(bytes);
  requireEqual(expected, bytes.length, hash);
  return bytes;
}

/** Creates the error for more bytes than the manifest says. */
export function tooMany({ label, size }: NamedContent): StageError {
  return new StageError(
    "size-mismatch",
    `${label} has more than the ${size} bytes of its manifest`,
  );
}

/** Ends a hash, and compares it and the number of bytes with the manifest (DEV-11). */
export function requireEqual(
  { label, size, hash }: NamedContent,
  seen: number,
  by: Pick<Sha256, "hex">,
): void {
  if (seen !== size) {
    throw new StageError("size-mismatch", `${label} has ${seen} bytes, expected ${size}`);
  }
  const found = by.hex();
  if (found !== hash) {
    throw new StageError("hash-mismatch", `${label} has SHA-256 ${found}, expected ${hash}`);
  }
}

/** The largest file that is read and written in one piece. */
const PIECE_BYTES = 256 * 1024;

/**
 * Opens a file that is to hold a content, a small one in one piece. `null` when it is not there.
 *
 * @throws {FileError} `too-large` when a small one holds more than the content.
 */
export function openBody(
  files: Pick<Files, "read" | "openRead">,
  path: string,
  { size }: ContentRef,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null> {
  return size <= PIECE_BYTES ? files.read(path, size) : files.openRead(path);
}

/** Reads a stream to its end, for its checks on the way. */
export async function drain(stream: ReadableStream<Uint8Array>): Promise<void> {
  await stream.pipeTo(new WritableStream());
}
