/** Files that are written in parallel: each waits for the disk most of its time. */
const CONCURRENCY = 8;
/** Bytes that wait to be written. */
const WAITING_BYTES = 8 * 1024 * 1024;

/** Runs the writes of small files in parallel, while the next ones are unpacked. */
export class WriteQueue {
  readonly #running = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];
  #waiting = 0;

  /**
   * Starts a write as soon as the queue has room. Throws the error of an earlier write.
   *
   * @param bytes Memory that the write holds until it has ended.
   */
  async start(bytes: number, write: () => Promise<unknown>): Promise<void> {
    while (this.#isFull(bytes)) await Promise.race(this.#running);
    this.#throwIfFailed();
    this.#waiting += bytes;
    const one = write()
      .then(() => undefined, (thrown) => void this.#failures.push(thrown))
      .then(() => {
        this.#waiting -= bytes;
        this.#running.delete(one);
      });
    this.#running.add(one);
  }

  /** Waits for all started writes. Throws the first error. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwIfFailed();
  }

  #isFull(bytes: number): boolean {
    return this.#running.size >= CONCURRENCY ||
      (this.#waiting > 0 && this.#waiting + bytes > WAITING_BYTES);
  }

  #throwIfFailed(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}
