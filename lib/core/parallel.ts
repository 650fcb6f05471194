/**
 * Runs `work` on every item, at most `limit` at a time, in order of start. The first failure stops
 * new work from starting; it is thrown once what runs has ended, so nothing is left behind.
 */
export async function forEachParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const failures: unknown[] = [];
  async function lane(): Promise<void> {
    while (!failed) {
      const index = next++;
      const item = items[index];
      if (index >= items.length || item === undefined) return;
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
