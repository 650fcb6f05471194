/** Another party sent nothing for too long; who it is, is for the catcher to say. */
export class Stalled extends Error {
  /** Says how long. */
  constructor(stallMs: number) {
    super(`sent nothing for ${stallMs} ms`);
  }
}

/** How long, and until when, a step of another party's is waited for. */
export interface Patience {
  /** Waits. */
  readonly clock: { sleep(ms: number, signal?: AbortSignal): Promise<void> };
  /** The longest that a step may take, in milliseconds. */
  readonly stallMs: number;
  /** Gives the step up. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The outcome of one step of another party's, unless it takes too long or is not wanted any more. A
 * step that is given up goes on by itself: whoever began it ends it.
 *
 * @throws {Stalled} after `stallMs`; the signal's reason as soon as it is aborted.
 */
export async function inTime<T>(
  step: Promise<T>,
  { clock, stallMs, signal }: Patience,
): Promise<T> {
  const over = new AbortController();
  const late = clock.sleep(stallMs, over.signal).then(
    () => {
      throw new Stalled(stallMs);
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
  }
}
