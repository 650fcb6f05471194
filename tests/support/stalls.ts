import type { Clock } from "../../lib/ports/clock.ts";

/** A clock whose long waits pass when a test says so, and whose short ones pass immediately. */
export interface Stalls {
  readonly clock: Clock;
  /** Lets every long wait that is under way pass. */
  readonly pass: () => void;
}

/** Opens a clock; a wait is long from 10 s on. */
export function createStalls(): Stalls {
  const waiting = new Set<() => void>();
  return {
    clock: {
      now: () => 0,
      monotonic: () => 0,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (ms < 10_000) return resolve();
          waiting.add(resolve);
          signal?.addEventListener("abort", () => {
            waiting.delete(resolve);
            reject(signal.reason);
          }, { once: true });
        }),
    },
    pass() {
      for (const wake of waiting) wake();
      waiting.clear();
    },
  };
}

/** A body of one byte that is never followed by another, nor by an end. */
export function stallingBody(onCancel = () => {}): ReadableStream<Uint8Array<ArrayBuffer>> {
  let sent = false;
  return new ReadableStream({
    pull(controller) {
      if (sent) return new Promise<void>(() => undefined);
      sent = true;
      controller.enqueue(new Uint8Array(1));
      return undefined;
    },
    cancel: onCancel,
  });
}

/** Returns a {@linkcode stallingBody} during whose silence time passes, until its reader cancels it. */
export function stallWhile(
  { pass }: Pick<Stalls, "pass">,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  // Again and again: on a busy machine a wait begins late.
  const passing = setInterval(pass, 5);
  return stallingBody(() => clearInterval(passing));
}

/** A body without an end, in chunks of `step` bytes. */
export function endlessBody(step: number): {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly sent: () => number;
  readonly isCancelled: () => boolean;
} {
  let sent = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      sent += step;
      controller.enqueue(new Uint8Array(step));
    },
    cancel() {
      cancelled = true;
    },
  }, { highWaterMark: 0 });
  return { body, sent: () => sent, isCancelled: () => cancelled };
}
