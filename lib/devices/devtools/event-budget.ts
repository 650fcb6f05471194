import type { Clock } from "../../ports/clock.ts";

// A page's console output costs this process memory and time, and any app may be at the other end:
// events are read up to a budget, and dropped unread beyond it (DEV-49).

/** Characters of the largest event that is read; a line of a log keeps 2,000 of them. */
const MAX_EVENT = 256 * 1024;
/** Maximum characters of events in a burst: earlier console output arrives all at once. */
const BURST = 8 * 1024 * 1024;
/** Characters of events that are read in each second after that. */
const PER_SECOND = 1024 * 1024;

/** The budget of one connection. */
export class EventBudget {
  readonly #clock: Pick<Clock, "monotonic">;
  #remaining = BURST;
  #since: number;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** Takes an event of that many characters from the budget. @returns Whether it may be read. */
  take(length: number): boolean {
    const now = this.#clock.monotonic();
    const gained = (now - this.#since) / 1000 * PER_SECOND;
    this.#remaining = Math.min(BURST, this.#remaining + gained);
    this.#since = now;
    if (length > MAX_EVENT || length > this.#remaining) return false;
    this.#remaining -= length;
    return true;
  }
}
