/** Time, injected so that no test waits for it. */
export interface Clock {
  /** Milliseconds since the epoch: for records, never for measuring. */
  now(): number;
  /** Milliseconds of a clock that never goes back. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
