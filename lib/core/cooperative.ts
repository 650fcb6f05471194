import { Turns } from "./turns.ts";

/**
 * Long work that can be interrupted: a generator that yields after every few hundred units. It
 * yields at places that follow from the work alone, never from a clock, so the same input takes the
 * same course; its input must not change in between.
 */
export type Work<T> = Generator<void, T, void>;

/** Options of work that shares the thread. */
export interface CooperativeOptions {
  /** Milliseconds of a clock that never goes back; read at every yield. */
  readonly now: () => number;
  /** Aborts the work at its next yield. */
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds of work after which others get their turn: a turn costs up to 4. */
const SLICE_MS = 20;

/** Lets the event loop have one turn, in which every waiting callback runs. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * Runs work in slices of time and lets the event loop continue between them.
 *
 * ```ts
 * function* sum(numbers: readonly number[]): Work<number> {
 *   let total = 0;
 *   for (const [index, number] of numbers.entries()) {
 *     if (index % 256 === 255) yield;
 *     total += number;
 *   }
 *   return total;
 * }
 * await runCooperatively(sum([1, 2, 3]), { now: () => performance.now() }); // 6
 * ```
 *
 * @throws The signal's reason once it is aborted; the work's `finally` blocks have run by then.
 */
export async function runCooperatively<T>(
  work: Work<T>,
  { now, signal }: CooperativeOptions,
): Promise<T> {
  let since = now();
  for (;;) {
    const step = signal?.aborted === true ? work.throw(signal.reason) : work.next();
    if (step.done === true) return step.value;
    if (now() - since < SLICE_MS) continue;
    await eventLoopTurn();
    since = now();
  }
}

/**
 * For many short steps that take long together: called between two of them, it gives the event loop
 * a turn after every 20 ms of work, so that requests are answered and an abort takes effect.
 */
export function turnsBetween(now: CooperativeOptions["now"]): () => Promise<void> {
  let since = now();
  return async () => {
    if (now() - since < SLICE_MS) return;
    await eventLoopTurn();
    since = now();
  };
}

/**
 * Runs uninterruptible pieces of work one at a time, in order, with a turn of the event loop
 * between two that take long: pieces that become ready together would add up to one long turn.
 *
 * @param now As for {@linkcode runCooperatively}.
 */
export function oneAtATurn(
  now: CooperativeOptions["now"],
): <T>(work: () => T | Promise<T>) => Promise<T> {
  const turns = new Turns();
  const turn = turnsBetween(now);
  return (work) =>
    turns.take(async () => {
      await turn();
      return await work();
    });
}

/** Items between two yields of {@linkcode eachOf}: at a few microseconds each, about a millisecond. */
const PIECE = 256;

/** Does something with every item, and yields after every few hundred: `yield* eachOf(items, …)`. */
export function* eachOf<T>(items: Iterable<T>, use: (item: T) => void): Work<void> {
  let done = 0;
  for (const item of items) {
    use(item);
    if (++done % PIECE === 0) yield;
  }
}

/** Runs work to its end without a pause: for callers that cannot wait, and for short work. */
export function runAtOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
