import type { Clock } from "../ports/clock.ts";

/** Delay that each pending answer to a wrong token adds to the next one, in milliseconds. */
const STEP_MS = 250;
/** The longest that an answer to a wrong token waits, in milliseconds. */
const MAX_DELAY_MS = 5_000;

/**
 * Slows down guesses of the token: the answer to a wrong token waits longer, the more of them are
 * pending. A correct token is never delayed. The state is one number.
 *
 * @returns A function that waits before a wrong token is answered; the signal ends the wait early.
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
