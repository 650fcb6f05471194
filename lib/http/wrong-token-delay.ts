import type { Clock } from "../ports/clock.ts";

/** By how much each waiting answer to a wrong token delays the next one, in milliseconds. */
const STEP_MS = 250;
/** The longest that an answer to a wrong token waits, in milliseconds. */
const MAX_DELAY_MS = 5_000;

/**
 * Slows down who guesses the token: the answer to a wrong one waits the longer the more of them are
 * waiting. Who has the token never waits, however many guess. The state is one number.
 *
 * @returns Waits before a wrong token is answered; the signal ends the wait early.
 */
export function createGuessDelay(
  clock: Pick<Clock, "sleep">,
): (signal: AbortSignal) => Promise<void> {
  let waiting = 0;
  return async (signal) => {
    waiting++;
    await clock.sleep(Math.min(STEP_MS * waiting, MAX_DELAY_MS), signal).catch(() => undefined);
    waiting--;
  };
}
