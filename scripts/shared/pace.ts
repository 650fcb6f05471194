// How fast a step goes, and when it will be done. Told only after enough was seen: an estimate from
// the first moments of a download is wrong by an order of magnitude as often as not.

/** The speed is that of the last so many milliseconds: a line that slows down is told soon. */
const WINDOW_MS = 10_000;
/** Before this much was seen, in milliseconds, nothing is told of speed and time. */
const ENOUGH_MS = 2_000;
/** A step that has not come further for so long has stalled, in milliseconds. */
const STALL_MS = 5_000;

/** How a step goes at a moment. What is not known yet is absent. */
export interface Pace {
  /** In the step's unit. */
  readonly perSecond?: number;
  readonly secondsLeft?: number;
  /** How long nothing came, when that is too long; then nothing else is told. */
  readonly stalledSeconds?: number;
}

/** Watches one step. What was done before it is watched, as in a download that goes on, does not count. */
export interface PaceMeter {
  /** @param now Milliseconds of a clock that never goes back. */
  see(done: number, now: number): void;
  /** @param total 0 where it is not known. */
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
      // The last one before the window stays: the speed is over the whole of it.
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
