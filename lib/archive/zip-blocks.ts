import { FileError } from "../core/file-error.ts";
import type { ArchiveSource } from "./entry.ts";

/** Bytes that are read ahead: headers and data of small files lie next to each other. */
const BLOCK_BYTES = 64 * 1024;

/** Random access to an archive, within the file and within bounds; the last block is remembered. */
export class ZipBlocks {
  readonly #source: ArchiveSource;
  #block = new Uint8Array();
  #blockAt = 0;

  constructor(source: ArchiveSource) {
    this.#source = source;
  }

  /**
   * Shorter than `length` only at the archive's end. The caller must not change the returned view.
   *
   * @param length Fields of a zip declare at most a few times 64 KiB; the caller bounds other
   * reads.
   */
  async read(at: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const { files, path, size, signal } = this.#source;
    signal?.throwIfAborted();
    const left = size - at;
    const take = Math.min(length, left);
    if (at < 0 || take <= 0) return new Uint8Array();
    if (at < this.#blockAt || at + take > this.#blockAt + this.#block.length) {
      const ahead = Math.min(Math.max(take, BLOCK_BYTES), left);
      const read = await files.readRange(path, at, ahead);
      if (read === null || read.length < take) {
        throw new FileError(
          "missing",
          path,
          `Cannot read ${path}: it became shorter while it was read`,
        );
      }
      this.#block = read;
      this.#blockAt = at;
    }
    return this.#block.subarray(at - this.#blockAt, at - this.#blockAt + take);
  }
}
