/** Work took longer than it may; what it was, is for the catcher to say. */
export class TimeoutError extends Error {
  /** Says how long. */
  constructor(timeoutMs: number) {
    super(`took more than ${timeoutMs} ms`);
  }
}

/** How long, and until when, work is waited for. */
export interface Timeout {
  /** Waits. */
  readonly clock: { sleep(ms: number, signal?: AbortSignal): Promise<void> };
  /** The longest that the work may take, in milliseconds; as long as it takes when absent. */
  readonly timeoutMs?: number | undefined;
  /** Cancels the work. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The outcome of work, unless it takes too long or is cancelled. It is no longer waited for then, also
 * when it ignores its own signal, which is aborted. Work that is cancelled before is not begun.
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
      // A sleep that is ended has nothing to say: the work was faster.
      clock.sleep(timeoutMs, sleeping.signal).then(
        () => stop(new TimeoutError(timeoutMs)),
        () => {},
      );
    }
    // At once, so that nothing is begun after the signal; in a promise, so that what throws rejects.
    new Promise<T>((begun) => begun(work(working.signal))).then(resolve, reject).then(end);
  });
}
