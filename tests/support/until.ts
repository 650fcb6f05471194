/** Deadline of one wait, in milliseconds: long, because a slow machine may fail no test. */
export const UNTIL_MS = 120_000;

/** Value of a condition that does not hold yet. */
type Falls = false | null | undefined;

/**
 * Checks a condition repeatedly until it holds, first in quick succession, later every 50 ms.
 *
 * @param what The awaited state, as a clause: "the scene has two entities".
 * @param condition Holds with any value but `false`, `null` and `undefined`. An error that it
 * throws ends the wait immediately: the test is broken, and a second try would hide that.
 * @param ms Deadline, in milliseconds; also for a condition that never answers.
 * @returns The first value that holds.
 * @throws {Error} Once the deadline is over.
 */
export async function until<T>(
  what: string,
  condition: () => T | Falls | Promise<T | Falls>,
  ms: number = UNTIL_MS,
): Promise<T> {
  let seen = "no answer yet";
  let timer;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`Not within ${ms / 1_000} s: ${what}; last seen: ${seen}`)),
      ms,
    );
  });
  try {
    for (let paceMs = 1;; paceMs = Math.min(paceMs * 2, 50)) {
      // The deadline is the first of the two: a condition that answers synchronously cannot outrun
      // it.
      const value = await Promise.race([expired, condition()]);
      if (value !== false && value !== null && value !== undefined) return value;
      seen = String(value);
      await new Promise((resolve) => setTimeout(resolve, paceMs));
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Declares the same `until` in a script that a test runs in a page, which cannot import modules.
 */
export const UNTIL_SOURCE = `const UNTIL_MS = ${UNTIL_MS};\n${until}\n`;
