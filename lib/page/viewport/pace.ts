// Shows a game that is reported ten times a second at sixty frames a second: slightly late, never
// ahead.

/**
 * Delay of the picture behind the reports, in seconds, so that it need not wait for the next one.
 */
const BEHIND_S = 0.13;
/** Delay in seconds beyond which it jumps. */
const FAR_S = 1;
const STEPS_PER_SECOND = 60;

/**
 * Returns the step to show next, possibly between two steps.
 *
 * @param at The step shown now.
 * @param reported.tick The last reported step, the maximum of the result.
 * @param reported.timeScale Speed of the game relative to real time.
 * @param seconds Time since the last frame.
 */
export function nextTick(
  at: number,
  reported: { readonly tick: number; readonly timeScale: number },
  seconds: number,
): number {
  const rate = STEPS_PER_SECOND * reported.timeScale;
  const behind = reported.tick - BEHIND_S * rate;
  const off = behind - at;
  if (Math.abs(off) > FAR_S * rate) return Math.max(Math.min(at, reported.tick), behind);
  // Slightly faster or slower, so that catching up is invisible.
  const speed = rate * Math.max(0, Math.min(2, 1 + off / (rate * 0.4)));
  return Math.min(reported.tick, at + speed * seconds);
}
