/**
 * Runs `work` on every item, at most `limit` at a time, started in order. After the first failure
 * no new work starts; the failure is thrown once all running work has ended.
 */
export async function forEachParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  if (!(limit >= 1)) throw new RangeError(`Cannot run at most ${limit} at a time: expected >= 1`);
  const queue = items.values();
  const failures: unknown[] = [];
  async function worker(): Promise<void> {
    for (const item of queue) {
      if (failures.length > 0) return;
      try {
        await work(item);
      } catch (thrown) {
        failures.push(thrown);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
