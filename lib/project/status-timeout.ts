import { causeOf } from "../core/cause.ts";
import type { Clock } from "../ports/clock.ts";

// A status says what it can: work that throws or takes too long becomes a reason in words.

/** How long the bucket or the public address is waited for, in milliseconds. */
const PATIENCE_MS = 8_000;

/** The outcome of work, or in words why there is none after a while. */
export async function inTime<T extends object>(
  clock: Pick<Clock, "sleep">,
  patience: AbortController,
  work: () => Promise<T>,
): Promise<T | string> {
  const nap = new AbortController();
  const late = clock.sleep(PATIENCE_MS, nap.signal).then(
    () => `no answer within ${PATIENCE_MS} ms`,
    () => "", // nobody waits any more
  );
  const found = await Promise.race([orReason(work), late]);
  nap.abort();
  if (typeof found === "string") patience.abort(new Error(found));
  return found;
}

/** The outcome of work, or in words why it threw: a status says what it can. */
export async function orReason<T extends object>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (thrown) {
    return causeOf(thrown);
  }
}
