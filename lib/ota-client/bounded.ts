import { TimeoutError, withTimeout } from "../core/timeout.ts";

/** How long a server or the plugin is waited for, unless told, in milliseconds. */
export const DEADLINE_MS = 15_000;

/** When work is no longer waited for. */
export interface Bounds {
  /** In milliseconds; absent: as long as it takes. */
  readonly deadlineMs?: number | undefined;
  /** Cancels the work. */
  readonly signal?: AbortSignal | undefined;
}

/** What {@linkcode bounded} rejects with when it no longer waits. */
export class Aborted extends Error {
  /** Whether time ran out or the app no longer wants it. */
  readonly code: "timeout" | "cancelled";

  /** Says why, and of what. */
  constructor(code: Aborted["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** The web view's own timers. */
const CLOCK = {
  sleep: (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener("abort", () => clearTimeout(timer), { once: true });
    }),
};

/**
 * Runs `work` and stops waiting for it at the deadline or at the signal, also when the work ignores
 * the signal that it is handed. `what` names it in the message.
 *
 * @throws {Aborted} At the deadline or the signal.
 */
export async function bounded<T>(
  what: string,
  { deadlineMs: timeoutMs, signal }: Bounds,
  work: (signal: AbortSignal) => PromiseLike<T> | T,
): Promise<T> {
  try {
    return await withTimeout(work, { clock: CLOCK, timeoutMs, signal });
  } catch (thrown) {
    if (thrown instanceof TimeoutError) throw new Aborted("timeout", `${what} ${thrown.message}`);
    if (signal?.aborted) throw new Aborted("cancelled", `${what} was cancelled`);
    throw thrown;
  }
}

/** What anything that was thrown says; plugins reject with plain objects as well. Never throws. */
export function reasonOf(thrown: unknown): string {
  try {
    const message = typeof thrown === "object" && thrown !== null && "message" in thrown
      ? thrown.message
      : thrown;
    return String(message);
  } catch {
    return "something that cannot be shown";
  }
}
