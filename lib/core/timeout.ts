/** Work exceeded its deadline; the catcher says which work. */
export class TimeoutError extends Error {
  /** Names the deadline. */
  constructor(timeoutMs: number) {
    super(`took more than ${timeoutMs} ms`);
  }
}

/** The deadline and the signal of a wait for work. */
export interface Timeout {
  /** Waits. */
  readonly clock: { sleep(ms: number, signal?: AbortSignal): Promise<void> };
  /** The longest that the work may take, in milliseconds; as long as it takes when absent. */
  readonly timeoutMs?: number | undefined;
  /** Cancels the work. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the outcome of work, unless it takes too long or is cancelled: then its signal is
 * aborted, and it is not waited for even if it ignores that. Work that is cancelled before its
 * start does not start.
 *
 * @throws {TimeoutError} after `timeoutMs`; the signal's reason as soon as it is aborted.
 */
export function withTimeout<T>(
  work: (signal: AbortSignal) => PromiseLike<T> | T,
  { clock, timeoutMs, signal }: Timeout,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const working = new AbortController();
    const sleeping = new AbortController();
    const end = () => {
      sleeping.abort();
      signal?.removeEventListener("abort", cancel);
    };
    const stop = (reason: unknown) => {
      end();
      reject(reason);
      working.abort(reason);
    };
    const cancel = () => stop(signal?.reason);
    if (signal?.aborted) return cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    if (timeoutMs !== undefined) {
      // A cancelled sleep is ignored: the work was faster.
      clock.sleep(timeoutMs, sleeping.signal).then(
        () => stop(new TimeoutError(timeoutMs)),
        () => {},
      );
    }
    // Synchronous, so that nothing starts after the signal; in a promise, so that an exception
    // rejects.
    new Promise<T>((begun) => begun(work(working.signal))).then(resolve, reject).then(end);
  });
}
