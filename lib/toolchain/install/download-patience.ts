import type { Clock } from "../../ports/clock.ts";

/** A server that sent nothing for too long. */
export class Stalled extends Error {}

/**
 * The outcome of one step of a server, unless it takes too long or is not wanted any more.
 *
 * @throws {Stalled} after `stallMs`; the signal's reason as soon as it is aborted.
 */
export async function inTime<T>(
  step: Promise<T>,
  { clock, stallMs, signal }: {
    readonly clock: Pick<Clock, "sleep">;
    readonly stallMs: number;
    readonly signal: AbortSignal | undefined;
  },
): Promise<T> {
  const over = new AbortController();
  const late = clock.sleep(stallMs, over.signal).then(
    () => {
      throw new Stalled();
    },
    () => new Promise<never>(() => undefined), // the step was faster
  );
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([step, late, aborted]);
  } finally {
    over.abort();
    step.catch(() => undefined); // when it lost the race, nobody waits for it
  }
}
