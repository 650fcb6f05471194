/** Files that are written at once: each waits for the disk most of its time. */
const CONCURRENCY = 8;
/** Bytes that wait to be written. */
const WAITING_BYTES = 8 * 1024 * 1024;

/** Runs the writes of small files side by side, while the next ones are unpacked. */
export interface WriteQueue {
  /**
   * Starts a write as soon as there is room. Throws what an earlier one failed with.
   *
   * @param bytes How much it holds in memory until it has ended.
   */
  start(bytes: number, write: () => Promise<unknown>): Promise<void>;
  /** Waits for all that were started. Throws what the first of them failed with. */
  settle(): Promise<void>;
}

/** Creates a queue in which nothing runs yet. */
export function createWriteQueue(): WriteQueue {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let waiting = 0;
  const throwIfFailed = () => {
    if (failures.length > 0) throw failures[0];
  };
  return {
    async start(bytes, write) {
      const full = () =>
        running.size >= CONCURRENCY || (waiting > 0 && waiting + bytes > WAITING_BYTES);
      while (full()) await Promise.race(running);
      throwIfFailed();
      waiting += bytes;
      const one = write()
        .then(() => undefined, (thrown) => void failures.push(thrown))
        .then(() => {
          waiting -= bytes;
          running.delete(one);
        });
      running.add(one);
    },
    async settle() {
      await Promise.all(running);
      throwIfFailed();
    },
  };
}
