// Every figure is a ratio of two sides measured in the same run, round by round, so that a busy
// machine slows both.

/** A side of a comparison. */
export interface Contender {
  /** Made ready before the clock starts. */
  readonly prepare?: () => void | Promise<void>;
  /** The timed work. A returned number replaces the measured time. */
  readonly run: () => void | number | Promise<void | number>;
}

/** Ours divided by the other side: below 1 is less than it takes there. */
export interface Ratio {
  /** Of the ratios of all rounds. */
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly rounds: number;
}

/**
 * Times all sides in every round, each round starting with another side. An extra first round fills
 * the caches and is not counted.
 *
 * @returns Milliseconds, or the sides' own values, by side, then by round.
 */
export async function timeRounds(
  contenders: readonly Contender[],
  { rounds, now, onRound }: {
    readonly rounds: number;
    readonly now: () => number;
    readonly onRound?: (done: number, total: number) => void;
  },
): Promise<readonly (readonly number[])[]> {
  const times = contenders.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    onRound?.(round, rounds + 1);
    for (let i = 0; i < contenders.length; i++) {
      const index = (round + i) % contenders.length;
      await contenders[index]?.prepare?.();
      const start = now();
      const own = await contenders[index]?.run();
      const took = now() - start;
      if (round > 0) times[index]?.push(typeof own === "number" ? own : took);
    }
  }
  return times;
}

/** Compares two sides round by round. @throws {RangeError} on no rounds, or a side that took no time. */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Ratio {
  const ratios = ours.map((value, round) => value / (theirs[round] ?? NaN));
  if (ratios.length === 0 || !ratios.every((ratio) => Number.isFinite(ratio) && ratio > 0)) {
    throw new RangeError(
      `Cannot compare [${ours}] with [${theirs}]: expected as many rounds on both sides, each over 0`,
    );
  }
  return {
    median: median(ratios),
    min: Math.min(...ratios),
    max: Math.max(...ratios),
    rounds: ratios.length,
  };
}

/**
 * Returns the middle value, or the mean of the two in the middle. @throws {RangeError} Without
 * values.
 */
export function median(values: readonly number[]): number {
  const ordered = [...values].sort((a, b) => a - b);
  const low = ordered[(ordered.length - 1) >> 1];
  const high = ordered[ordered.length >> 1];
  if (low === undefined || high === undefined) {
    throw new RangeError("Cannot take the median of no values");
  }
  return (low + high) / 2;
}
