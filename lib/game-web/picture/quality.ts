/** A level of detail. */
export interface Level {
  /** Fraction of the screen's pixels along an edge. */
  readonly scale: number;
  readonly shadows: boolean;
}

const BEST: Level = { scale: 1, shadows: true };
/** From the best to the worst: pixels first, then shadows. */
const LEVELS: readonly Level[] = [
  BEST,
  { scale: 0.75, shadows: true },
  { scale: 0.5, shadows: true },
  { scale: 0.5, shadows: false },
];
/** Frames judged together; fewer if they take that many seconds. */
const [FRAMES, SECONDS] = [60, 1.5];
/** Durations in seconds of a frame that is too slow, and of one with time to spare. */
const [SLOW, QUICK] = [1 / 45, 1 / 55];
/** A frame that took longer was not a slow one: the page was hidden, or something was loaded. */
const PAUSE = 0.25;
/** A lower level that does not reduce the frame time to this fraction had no effect. */
const GAIN = 0.9;
/** Judgements to wait before it rises, at first and at most: about 5 seconds, and 5 minutes. */
const [FIRST_WAIT, LONGEST_WAIT] = [5, 300];

/**
 * Chooses the level of detail by the frame time: lowers it before the frame rate drops, and raises
 * it again. If a lower level gains nothing, something else is slow, and the picture keeps its
 * quality.
 */
export class Quality {
  readonly #say: (text: string) => void;
  #level = 0;
  #stands = false;
  #frames = 0;
  #seconds = 0;
  /** The mean at the best level, when it fell from there. */
  #before = 0;
  #wait = FIRST_WAIT;
  #waited = 0;
  /** Remaining judgements to ignore. */
  #held = 0;
  #hasSaid = false;

  /** @param say Called once. */
  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** The level for the last noted frame: the best one for a paused game. */
  get level(): Level {
    return this.#stands ? BEST : LEVELS[this.#level] ?? BEST;
  }

  /** Records a frame. @param elapsed Seconds since the previous one; 0 while paused. */
  note(elapsed: number): void {
    this.#stands = elapsed === 0;
    if (elapsed <= 0 || elapsed > PAUSE) return;
    this.#seconds += elapsed;
    if (++this.#frames < FRAMES && this.#seconds < SECONDS) return;
    const mean = this.#seconds / this.#frames;
    this.#frames = 0;
    this.#seconds = 0;
    this.#judge(mean);
  }

  #judge(mean: number): void {
    this.#waited++;
    if (this.#held > 0) this.#held--;
    else if (mean > SLOW) this.#fall(mean);
    else if (mean < QUICK && this.#level > 0 && this.#waited >= this.#wait) this.#go(-1);
  }

  #fall(mean: number): void {
    if (this.#level === LEVELS.length - 1) {
      if (mean < this.#before * GAIN) return; // it helps, if not enough
      this.#go(-this.#level);
      this.#held = LONGEST_WAIT;
      return;
    }
    if (this.#level === 0) this.#before = mean;
    // It rose too early: the next time it waits for longer.
    if (this.#waited <= 2) this.#wait = Math.min(LONGEST_WAIT, this.#wait * 2);
    this.#go(1);
    if (this.#hasSaid) return;
    this.#hasSaid = true;
    const rate = Math.round(1 / mean);
    this.#say(
      `The picture is drawn with fewer pixels, and without shadows if need be: found ${rate} frames ` +
        "a second, expected 60",
    );
  }

  #go(levels: number): void {
    this.#level += levels;
    this.#waited = 0;
  }
}
