import { eventLoopTurn } from "../../core/cooperative.ts";
import type { Clock } from "../../ports/clock.ts";

/** Work that is repeated while something else goes on. */
export interface RepeatOptions {
  /** Nothing is done meanwhile where there is none. */
  readonly clock: Pick<Clock, "sleep"> | undefined;
  /** How often, in milliseconds; the first time after so long. */
  readonly everyMs: number;
  readonly tell: () => void;
}

/** Starts to do something again and again. @returns Ends it; resolves when it has ended. */
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
    // A clock that stands still must not keep everything else from running.
    await eventLoopTurn();
  }
}
