import { FileError } from "../core/file-error.ts";
import type { ArchiveSource } from "./entry.ts";

/** Bytes that are read ahead: headers and data of small files lie next to each other, in bytes. */
const BLOCK_BYTES = 64 * 1024;

/** Random access to an archive, within the file and within bounds. */
export interface ZipBlocks {
  /**
   * Shorter than `length` only at the archive's end. A view of what must not be changed.
   *
   * @param length No field of a zip declares more than a few times 64 KiB; the caller bounds the rest.
   */
  read(at: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Remembers the block that was read last. */
export function createZipBlocks({ files, path, size, signal }: ArchiveSource): ZipBlocks {
  let block = new Uint8Array();
  let blockAt = 0;
  return {
    async read(at, length) {
      signal?.throwIfAborted();
      const left = size - at;
      const wanted = Math.min(length, left);
      if (at < 0 || wanted <= 0) return new Uint8Array();
      if (at < blockAt || at + wanted > blockAt + block.length) {
        const ahead = Math.min(Math.max(wanted, BLOCK_BYTES), left);
        const read = await files.readRange(path, at, ahead);
        if (read === null || read.length < wanted) {
          throw new FileError(
            "missing",
            path,
            `Cannot read ${path}: it became shorter while it was read`,
          );
        }
        block = read;
        blockAt = at;
      }
      return block.subarray(at - blockAt, at - blockAt + wanted);
    },
  };
}
