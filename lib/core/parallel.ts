/**
 * Runs `work` on every item, at most `limit` at a time, in order of start. The first failure stops
 * new work from starting; it is thrown once what runs has ended, so nothing is left behind.
 */
export async function forEachParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  if (!(limit >= 1)) throw new RangeError(`Cannot run at most ${limit} at a time: expected >= 1`);
  const queue = items.values();
  let failed = false;
  const failures: unknown[] = [];
  async function lane(): Promise<void> {
    for (const item of queue) {
      if (failed) return;
      try {
        await work(item);
      } catch (thrown) {
        failed = true;
        failures.push(thrown);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (failed) throw failures[0];
}
