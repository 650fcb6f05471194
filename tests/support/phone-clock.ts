import type { ClientClock } from "../../lib/ota-client/bounded.ts";

/**
 * A phone's timers, without real time: timers that became due while it slept ring when it wakes.
 */
export interface PhoneClock extends ClientClock {
  /** Lets time pass awake, by half seconds, until `isOver`; throws after a day. @returns Seconds. */
  runUntil(isOver: () => boolean): Promise<number>;
  /** Lets time pass awake. */
  run(seconds: number): Promise<void>;
  /** Lets time pass asleep. */
  suspend(seconds: number): Promise<void>;
}

const STEP_MS = 500;
const DAY_MS = 86_400_000;

/** Makes one. */
export function createPhoneClock(): PhoneClock {
  let nowMs = 0;
  let waiting: { readonly atMs: number; readonly ring: () => void }[] = [];
  async function pass(ms: number): Promise<void> {
    await turns();
    nowMs += ms;
    const due = waiting.filter(({ atMs }) => atMs <= nowMs);
    waiting = waiting.filter(({ atMs }) => atMs > nowMs);
    for (const { ring } of due) ring();
    await turns();
  }
  return {
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const cancel = () => reject(signal?.reason);
        const ring = () => {
          signal?.removeEventListener("abort", cancel);
          resolve();
        };
        waiting.push({ atMs: nowMs + ms, ring });
        signal?.addEventListener("abort", cancel, { once: true });
      }),
    async runUntil(isOver) {
      const beganMs = nowMs;
      while (!isOver()) {
        if (nowMs - beganMs > DAY_MS) throw new Error("A day has passed, and it is not over");
        await pass(STEP_MS);
      }
      return (nowMs - beganMs) / 1000;
    },
    async run(seconds) {
      for (let left = seconds * 1000; left > 0; left -= STEP_MS) await pass(STEP_MS);
    },
    suspend: (seconds) => pass(seconds * 1000),
  };
}

/** Lets streams and promises do everything that needs no time. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
