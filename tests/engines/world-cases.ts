import { openContent } from "../../lib/game-web/content/mod.ts";
import type { PageFetch } from "../../lib/game-web/content/fetch-bytes.ts";
import { parseRecording, playBack, worldHash } from "../../lib/game/play/mod.ts";
import type { Clock } from "../../lib/ports/clock.ts";

// What every engine is asked: to play rounds as a page would, and to say what became of the worlds.

/** What became of a round. */
export interface PlayedRound {
  /** Its {@linkcode worldHash}. */
  readonly hash: string;
  /** Steps that were made. */
  readonly tick: number;
  /** Entities at the end. */
  readonly entities: number;
}

const CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: () => new Promise((resolve) => setTimeout(resolve, 0)),
};

/** Plays the `round.json` of a built game. @param base Its URL, with a slash at the end. */
export async function playRound(base: string, fetch: PageFetch): Promise<PlayedRound> {
  const opened = await openContent(base, fetch);
  if (!opened.ok) throw new Error(opened.error.detail);
  const file = await (await fetch(`${base}round.json`)).arrayBuffer();
  const recording = parseRecording("round.json", new Uint8Array(file));
  if (!recording.ok) throw new Error(recording.error.message);
  const running = await playBack(recording.value, opened.value.content, { clock: CLOCK });
  if (!running.ok) throw new Error(running.error.detail);
  const { game } = running.value;
  const hash = await worldHash(game);
  const played = { hash, tick: game.tick, entities: game.world.size };
  running.value.end();
  return played;
}
