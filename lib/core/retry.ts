// Whether and when to repeat a request: the same rule for downloads, stores and phones.

/**
 * Returns whether the same request may succeed later, by the status alone: 408, 425, 429, and server
 * errors, except 501, which never changes (RFC 9110 §15).
 */
export function isTransient(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501);
}

/**
 * Returns the wait that an answer asks for, in milliseconds: `Retry-After` in seconds or as a date
 * (RFC 9110 §10.2.3); 0 for none. A date is relative to the answer's own `Date`, so that no clock
 * needs to be right.
 *
 * @param now Milliseconds since the epoch, for an answer without a date; without it such a date is
 * ignored.
 */
export function retryAfterMs(headers: Pick<Headers, "get">, now?: number): number {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const sent = Date.parse(headers.get("date") ?? "");
  const waitMs = Date.parse(value) - (Number.isNaN(sent) ? now ?? NaN : sent);
  return waitMs > 0 ? waitMs : 0; // also for an invalid date
}

/** How often and how fast work is tried. */
export interface RetryRules {
  /** Tries in a row that come no further. */
  readonly tries: number;
  /** Tries in all, so that a line that breaks after every byte has an end; endless when absent. */
  readonly mostTries?: number;
  /** The wait after the first try, in milliseconds; it doubles after every try without progress. */
  readonly firstWaitMs: number;
  /** The longest wait, whatever a server asks for, in milliseconds. */
  readonly longestWaitMs: number;
}

/** The failure of a try. */
export interface FailedTry {
  /** Whether it made more progress than all tries before. */
  readonly further?: boolean;
  /** Wait that the server asked for, in milliseconds. */
  readonly afterMs?: number;
}

/** The tries of one piece of work: counts failures, and spaces further tries. */
export class Tries {
  readonly #rules: RetryRules;
  readonly #random: () => number;
  #failed = 0;
  #inRow = 0;

  /** @param random 0 ≤ x < 1: the half of a wait up to its one and a half is drawn by it. */
  constructor(rules: RetryRules, random: () => number = Math.random) {
    this.#rules = rules;
    this.#random = random;
  }

  /** Tries that failed so far. */
  get failed(): number {
    return this.#failed;
  }

  /** Counts a failed try. @returns Milliseconds before the next one; `null` if no try is left. */
  next({ further = false, afterMs = 0 }: FailedTry = {}): number | null {
    const { tries, mostTries = Infinity, firstWaitMs, longestWaitMs } = this.#rules;
    this.#failed++;
    this.#inRow = further ? 1 : this.#inRow + 1;
    if (this.#inRow >= tries || this.#failed >= mostTries) return null;
    const backoffMs = firstWaitMs * 2 ** (this.#inRow - 1) * (0.5 + this.#random());
    return Math.min(Math.max(backoffMs, afterMs), longestWaitMs);
  }
}
