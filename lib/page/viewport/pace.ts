// How a game that is told of ten times a second is shown sixty times: a little late, and never ahead.

/** How many seconds the picture is behind what was told, so that it need not wait for the next. */
const BEHIND_S = 0.13;
/** Farther behind than so many seconds it jumps. */
const FAR_S = 1;
const STEPS_PER_SECOND = 60;

/**
 * The step that is shown next, also between two steps.
 *
 * @param at What is shown now.
 * @param told.tick What is known to be made; the answer is never more.
 * @param told.timeScale How much faster than real time the game plays.
 * @param seconds Since the frame before.
 */
export function nextTick(
  at: number,
  told: { readonly tick: number; readonly timeScale: number },
  seconds: number,
): number {
  const rate = STEPS_PER_SECOND * told.timeScale;
  const behind = told.tick - BEHIND_S * rate;
  const off = behind - at;
  if (Math.abs(off) > FAR_S * rate) return Math.max(Math.min(at, told.tick), behind);
  // Slightly faster or slower, so that nobody sees it catch up.
  const speed = rate * Math.max(0, Math.min(2, 1 + off / (rate * 0.4)));
  return Math.min(told.tick, at + speed * seconds);
}
