import { FileError } from "../../core/file-error.ts";
import type { ContentRef } from "../../ota-format/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { Hashing } from "../../ports/hashing.ts";

/** Up to this size a file is read in one piece: for small files a stream costs more than its bytes. */
export const SMALL_FILE_BYTES: number = 256 * 1024;

/** Where contents are read from. */
export interface Contents {
  /** The file system. */
  readonly files: Files;
  /** Hashes every file. */
  readonly hashing: Hashing;
  /** Gives the reading up. */
  readonly signal?: AbortSignal;
}

/**
 * Opens a file that was hashed before. The stream fails, at its end at the latest, when the file is
 * no longer the same: a build that still runs must not end up under the address of other bytes.
 */
export async function openUnchanged(
  contents: Contents,
  path: string,
  ref: ContentRef,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if (ref.size <= SMALL_FILE_BYTES) {
    return streamOf(await readUnchanged(contents, path, ref));
  }
  const { files, hashing, signal } = contents;
  const source = await files.openRead(path, signal);
  if (source === null) throw gone(path);
  const running = hashing.createSha256();
  let seen = 0;
  return source.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        running.update(chunk);
        seen += chunk.length;
        controller.enqueue(chunk);
      },
      flush() {
        if (seen !== ref.size || running.hex() !== ref.hash) throw changed(path);
      },
    }),
  );
}

/** A small file that was hashed before, whole. */
export async function readUnchanged(
  { files, hashing, signal }: Contents,
  path: string,
  { hash, size }: ContentRef,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await files.read(path, size, signal).catch((thrown: unknown) => {
    throw thrown instanceof FileError && thrown.code === "too-large" ? changed(path) : thrown;
  });
  if (bytes === null) throw gone(path);
  const found = hashing.createSha256();
  found.update(bytes);
  if (bytes.length !== size || found.hex() !== hash) throw changed(path);
  return bytes;
}

/** Bytes at hand as a stream. */
export function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
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
