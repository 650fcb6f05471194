/** How long a server or the plugin is waited for, unless told, in milliseconds. */
export const DEADLINE_MS = 15_000;

/** When work is given up. */
export interface Bounds {
  /** In milliseconds; absent: as long as it takes. */
  readonly deadlineMs?: number;
  /** Gives the work up. */
  readonly signal?: AbortSignal;
}

/** What {@linkcode bounded} rejects with when it gives up. */
export class GivenUp extends Error {
  /** Whether time ran out or the app no longer wants it. */
  readonly code: "timeout" | "cancelled";

  /** Says why, and of what. */
  constructor(code: GivenUp["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Runs `work` and stops waiting for it at the deadline or at the signal, also when the work ignores
 * the signal that it is handed. `what` names it in the message.
 *
 * @throws {GivenUp} At the deadline or the signal.
 */
export function bounded<T>(
  what: string,
  { deadlineMs, signal }: Bounds,
  work: (signal: AbortSignal) => PromiseLike<T> | T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = new AbortController();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    };
    const giveUp = (code: GivenUp["code"], why: string) => {
      end();
      reject(new GivenUp(code, `${what} ${why}`));
      abort.abort();
    };
    const cancel = () => giveUp("cancelled", "was cancelled");
    const timer = deadlineMs === undefined
      ? undefined
      : setTimeout(() => giveUp("timeout", `took more than ${deadlineMs} ms`), deadlineMs);
    if (signal?.aborted) return cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    // Inside a promise, so that a call that throws is like one that rejects.
    Promise.resolve(abort.signal).then(work).then(resolve, reject).then(end);
  });
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
