import { causeOf } from "../../core/cause.ts";
import { withTimeout } from "../../core/timeout.ts";
import type { Clock } from "../../ports/clock.ts";

// Checks of what players get always return: work that throws or takes too long becomes a reason in
// words.

/** Deadline for the bucket or the public address, in milliseconds. */
const STATUS_MS = 8_000;

/**
 * Returns the outcome of work, or in words why it has none: after 8 s, or once the signal is
 * aborted.
 */
export async function inTime<T extends object>(
  clock: Pick<Clock, "sleep">,
  work: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T | string> {
  return await orReason(() => withTimeout(work, { clock, timeoutMs: STATUS_MS, signal }));
}

/** Returns the outcome of work, or in words why it threw: a status reports whatever it can. */
export async function orReason<T extends object>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (thrown) {
    return causeOf(thrown);
  }
}
