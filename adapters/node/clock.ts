import type { Clock } from "../../lib/ports/clock.ts";

/** Longest timer of both runtimes, in milliseconds; a longer one would fire immediately. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** The machine's clock. */
export function createClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        let timer: ReturnType<typeof setTimeout> | undefined;
        const wake = () => {
          clearTimeout(timer);
          reject(signal?.reason);
        };
        const sleepOn = (left: number) => {
          if (left > LONGEST_TIMER_MS) {
            timer = setTimeout(() => sleepOn(left - LONGEST_TIMER_MS), LONGEST_TIMER_MS);
            return;
          }
          timer = setTimeout(() => {
            signal?.removeEventListener("abort", wake);
            resolve();
          }, left);
        };
        signal?.addEventListener("abort", wake, { once: true });
        sleepOn(ms);
      }),
  };
}
