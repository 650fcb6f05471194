import { FileError } from "../../core/file-error.ts";
import type { ContentRef } from "../../ota-format/mod.ts";
import type { Deflating } from "../../ports/deflate.ts";
import type { Files } from "../../ports/files.ts";
import type { Hashing } from "../../ports/hashing.ts";

/** Up to this size a file is read in one piece: for small files a stream costs more than its bytes. */
export const SMALL_FILE_BYTES: number = 256 * 1024;

/** Dependencies of reading contents. */
export interface Contents {
  /** The file system. */
  readonly files: Files;
  /** Hashes every file. */
  readonly hashing: Hashing;
  /** Cancels the reading. */
  readonly signal?: AbortSignal;
}

/** A file as it was hashed. */
export interface Expected extends ContentRef {
  /** Compared in place of the hash: enough where the file is nobody's to change any more. */
  readonly crc32?: { readonly sum: number; readonly of: Deflating["crc32"] };
}

/**
 * Opens a file that was hashed before. The stream fails, at its end at the latest, when the file is
 * no longer the same: a build that still runs must not end up under the address of other bytes.
 */
export async function openUnchanged(
  contents: Contents,
  path: string,
  expected: Expected,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if (expected.size <= SMALL_FILE_BYTES) {
    return streamBytes(await readUnchanged(contents, path, expected));
  }
  const { files, signal } = contents;
  const source = await files.openRead(path, signal);
  if (source === null) throw gone(path);
  const running = sumOf(contents, expected);
  let seen = 0;
  return source.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        running.update(chunk);
        seen += chunk.length;
        controller.enqueue(chunk);
      },
      flush() {
        if (seen !== expected.size || !running.fits()) throw changed(path);
      },
    }),
  );
}

/**
 * A file that was hashed before, in chunks of which each is overwritten when the next is asked for.
 *
 * @throws At its end at the latest, when it is no longer the same.
 */
export async function* chunksUnchanged(
  contents: Contents,
  path: string,
  expected: Expected,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { files, signal } = contents;
  const chunks = await files.readChunks(path, signal);
  if (chunks === null) throw gone(path);
  const running = sumOf(contents, expected);
  let seen = 0;
  for await (const chunk of chunks) {
    seen += chunk.length;
    if (seen > expected.size) throw changed(path);
    running.update(chunk);
    yield chunk;
  }
  if (seen !== expected.size || !running.fits()) throw changed(path);
}

/** A small file that was hashed before, whole. */
export async function readUnchanged(
  contents: Contents,
  path: string,
  expected: Expected,
): Promise<Uint8Array<ArrayBuffer>> {
  const { files, signal } = contents;
  const bytes = await files.read(path, expected.size, signal).catch((thrown: unknown) => {
    throw thrown instanceof FileError && thrown.code === "too-large" ? changed(path) : thrown;
  });
  if (bytes === null) throw gone(path);
  const found = sumOf(contents, expected);
  found.update(bytes);
  if (bytes.length !== expected.size || !found.fits()) throw changed(path);
  return bytes;
}

function sumOf({ hashing }: Contents, { hash, crc32 }: Expected) {
  if (crc32 === undefined) {
    const running = hashing.createSha256();
    return {
      update: (bytes: Uint8Array) => running.update(bytes),
      fits: () => running.hex() === hash,
    };
  }
  let sum = 0;
  return {
    update: (bytes: Uint8Array) => void (sum = crc32.of(bytes, sum)),
    fits: () => sum === crc32.sum,
  };
}

/** Bytes at hand as a stream. */
export function streamBytes(
  bytes: Uint8Array<ArrayBuffer>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}

function gone(path: string): Error {
  return new Error(`${path} is gone; let the build finish first`);
}

function changed(path: string): Error {
  return new Error(`${path} was changed while it was published; let the build finish first`);
}
