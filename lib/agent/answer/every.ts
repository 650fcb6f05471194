import { eventLoopTurn } from "../../core/cooperative.ts";
import type { Clock } from "../../ports/clock.ts";

/** An action to repeat while other work runs. */
export interface RepeatOptions {
  /** The timer; without a clock nothing is repeated. */
  readonly clock: Pick<Clock, "sleep"> | undefined;
  /** Interval in milliseconds, also before the first time. */
  readonly everyMs: number;
  readonly tell: () => void;
}

/**
 * Starts to repeat an action. @returns A function that stops it and resolves once it has stopped.
 */
export function repeatEvery({ clock, everyMs, tell }: RepeatOptions): () => Promise<void> {
  if (clock === undefined) return () => Promise.resolve();
  const ended = new AbortController();
  const telling = repeat(clock, { everyMs, tell, ended: ended.signal });
  return async () => {
    ended.abort();
    await telling;
  };
}

async function repeat(
  clock: Pick<Clock, "sleep">,
  { everyMs, tell, ended }: {
    readonly everyMs: number;
    readonly tell: () => void;
    readonly ended: AbortSignal;
  },
): Promise<void> {
  while (!ended.aborted) {
    await clock.sleep(everyMs, ended).then(() => {}, () => {});
    if (ended.aborted) return;
    tell();
    // A clock whose sleep resolves immediately must not block other work.
    await eventLoopTurn();
  }
}
