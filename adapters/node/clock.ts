import type { Clock } from "../../lib/ports/clock.ts";

/** The machine's clock. */
export function createClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const wake = () => {
          clearTimeout(timer);
          reject(signal?.reason);
        };
        const timer = setTimeout(() => {
          signal?.removeEventListener("abort", wake);
          resolve();
        }, ms);
        signal?.addEventListener("abort", wake, { once: true });
      }),
  };
}
