import { type GameHost, openSavedValues } from "../game/world/mod.ts";
import type { Clock } from "../ports/clock.ts";

/** The time of the page. */
const PAGE_CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", abort);
        resolve();
      }, ms);
      signal?.addEventListener("abort", abort, { once: true });
    }),
};

/** Asked each time: a page that may store nothing throws at its mere name. */
const STORAGE = {
  getItem: (key: string) => localStorage.getItem(key),
  setItem: (key: string, text: string) => localStorage.setItem(key, text),
};

/**
 * A page as the host of a game. What is noted for editors is let go.
 *
 * @param name The game's: what it keeps is kept under it.
 */
export function createBrowserHost(
  name: string,
  { document, scenePath, viewport }: Pick<GameHost, "document" | "scenePath" | "viewport">,
): GameHost {
  const warn = (text: string) => console.warn(text);
  return {
    clock: PAGE_CLOCK,
    document,
    scenePath,
    viewport,
    journals: { noteGame: () => undefined, noteTimeline: () => undefined },
    saved: openSavedValues(STORAGE, `saved values of ${name}`, warn),
    // What a game has to say is for whoever looks at the console of its page.
    console: { write: (level, text) => console[level](text) },
    round: 0,
    nextPlayRev: 0,
    playing: null,
    playingScene: null,
  };
}
