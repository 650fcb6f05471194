import { TimeoutError, withTimeout } from "../core/timeout.ts";

/** Default deadline for a server or the plugin, in milliseconds. */
export const DEADLINE_MS = 15_000;

/** Waits; may resolve or reject when `signal` is aborted. */
export interface ClientClock {
  /** Resolves after `ms`. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Limits of the wait for some work. */
export interface WaitBounds {
  /** In milliseconds that the device is awake (CHECK-12); absent: no deadline. */
  readonly deadlineMs?: number | undefined;
  /** Cancels the work. */
  readonly signal?: AbortSignal | undefined;
  /** Default the web view's own timers. */
  readonly clock?: ClientClock | undefined;
}

/** Error of {@linkcode bounded} when it stops waiting. */
export class Aborted extends Error {
  /** Whether time ran out or the app no longer wants it. */
  declare readonly code: "timeout" | "cancelled";

  /** Creates the error of a wait. @param message Its reason, and what was awaited. */
  constructor(code: Aborted["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** The web view's own timers. */
const CLOCK: ClientClock = {
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const cancel = () => clearTimeout(timer);
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", cancel);
        resolve();
      }, ms);
      signal?.addEventListener("abort", cancel, { once: true });
    }),
};

/** The longest time between two looks, and the most that one interval counts. */
const LOOK_MS = 1000;

/**
 * Waits until `leftMs` returns nothing left. It gets the time that the device was awake: of hours
 * of sleep between two looks, only one look's length counts (CHECK-12).
 */
export async function whileAwake(
  leftMs: (awakeMs: number) => number,
  { clock = CLOCK, signal }: Pick<WaitBounds, "clock" | "signal">,
): Promise<void> {
  let awakeMs = 0;
  for (let left; (left = Math.min(leftMs(awakeMs), LOOK_MS)) > 0; awakeMs += left) {
    await clock.sleep(left, signal);
    if (signal?.aborted) return;
  }
}

/**
 * Runs `work` and stops waiting for it at the deadline or at the signal, even if the work ignores
 * the signal that it gets. `what` names it in the message.
 *
 * @param leftMs The rest of the deadline; default: awake time uses it up.
 * @throws {Aborted} At the deadline or the signal.
 */
export async function bounded<T>(
  what: string,
  { deadlineMs: timeoutMs, signal, clock }: WaitBounds,
  work: (signal: AbortSignal) => PromiseLike<T> | T,
  leftMs = (awakeMs: number): number => (timeoutMs ?? 0) - awakeMs,
): Promise<T> {
  try {
    return await withTimeout(work, {
      clock: { sleep: (_ms, ended) => whileAwake(leftMs, { clock, signal: ended }) },
      timeoutMs,
      signal,
    });
  } catch (thrown) {
    if (thrown instanceof TimeoutError) throw new Aborted("timeout", `${what} ${thrown.message}`);
    if (signal?.aborted) throw new Aborted("cancelled", `${what} was cancelled`);
    throw thrown;
  }
}

/** Message of any thrown value; plugins also reject with plain objects. Never throws. */
export function reasonOf(thrown: unknown): string {
  try {
    const message = typeof thrown === "object" && thrown !== null && "message" in thrown
      ? thrown.message
      : thrown;
    return String(message);
  } catch {
    return "something unreadable";
  }
}
