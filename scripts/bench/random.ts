/** Random numbers that a seed repeats. */
export interface Random {
  /** From 0 to 1, 1 excluded. */
  next(): number;
  /** Returns an integer from 0 to `bound`, excluding `bound`. */
  below(bound: number): number;
}

/** A linear congruential generator: plain, and the same on every runtime. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  return { next, below: (bound) => Math.floor(next() * bound) };
}
