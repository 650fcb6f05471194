// Computes the speed of a step, and its remaining time. Shown only after a while: an estimate from
// the first moments of a download is often wrong by an order of magnitude.

/**
 * The speed is measured over the last milliseconds of this number, so that a slowdown shows soon.
 */
const WINDOW_MS = 10_000;
/** Milliseconds before speed and time are shown. */
const ENOUGH_MS = 2_000;
/** Milliseconds without progress after which a step has stalled. */
const STALL_MS = 5_000;

/** State of a step at a moment. Unknown values are absent. */
export interface Pace {
  /** In the step's unit. */
  readonly perSecond?: number;
  readonly secondsLeft?: number;
  /** Seconds without progress, if too long; then nothing else is present. */
  readonly stalledSeconds?: number;
}

/** Watches a step. Progress before the watch, as in a resumed download, does not count. */
export interface PaceMeter {
  /** @param now Monotonic clock in milliseconds. */
  see(done: number, now: number): void;
  /** @param total 0 if unknown. */
  pace(total: number, now: number): Pace;
}

/** A meter for a new step. */
export function createPaceMeter(): PaceMeter {
  const seen: { readonly done: number; readonly at: number }[] = [];
  let came = 0;
  return {
    see(done, now) {
      const last = seen.at(-1);
      if (last === undefined || done < last.done) {
        seen.length = 0; // it begins, or begins again
        came = now;
      } else if (done > last.done) came = now;
      seen.push({ done, at: now });
      // Keeps the last one before the window, so that the speed covers the whole window.
      while (seen.length > 2 && (seen[1]?.at ?? now) <= now - WINDOW_MS) seen.shift();
    },
    pace(total, now) {
      const [first, last] = [seen[0], seen.at(-1)];
      if (first === undefined || last === undefined) return {};
      if (total > 0 && last.done >= total) return {};
      if (now - came >= STALL_MS) return { stalledSeconds: Math.floor((now - came) / 1_000) };
      const elapsed = now - first.at;
      if (elapsed < ENOUGH_MS || last.done === first.done) return {};
      const perSecond = (last.done - first.done) / elapsed * 1_000;
      return { perSecond, ...(total > 0 && { secondsLeft: (total - last.done) / perSecond }) };
    },
  };
}
