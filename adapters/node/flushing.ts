import type { FileHandle } from "node:fs/promises";

/** Written bytes after which the next sync starts. */
const FLUSH_BYTES = 16 * 1024 * 1024;

/** Syncs a long file while it is written, so that little is left to wait for at its end. */
export class Flushing {
  readonly #file: Pick<FileHandle, "datasync">;
  #running: Promise<void> | null = null;
  /** A system reports an error of the disk to one sync only. */
  readonly #failures: unknown[] = [];
  #bytes = 0;

  constructor(file: Pick<FileHandle, "datasync">) {
    this.#file = file;
  }

  /** Counts written bytes, and may start a sync. @throws The error of an earlier sync. */
  add(bytes: number): void {
    this.#throwIfFailed();
    this.#bytes += bytes;
    if (this.#bytes < FLUSH_BYTES || this.#running !== null) return;
    this.#bytes = 0;
    this.#running = this.#file.datasync()
      .catch((thrown: unknown) => void this.#failures.push(thrown))
      .finally(() => void (this.#running = null));
  }

  /** Waits for the running sync. @throws The error of any sync. */
  async end(): Promise<void> {
    await this.#running;
    this.#throwIfFailed();
  }

  #throwIfFailed(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}
