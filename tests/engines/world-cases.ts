import { openContent } from "../../lib/game-web/content/mod.ts";
import type { PageFetch } from "../../lib/game-web/content/fetch-bytes.ts";
import {
  parseRecording,
  replay,
  RunningGame,
  SceneHost,
  worldHash,
} from "../../lib/game/play/mod.ts";
import type { Clock } from "../../lib/ports/clock.ts";

// Runs in every engine: plays rounds as a page would, and returns the resulting worlds.

/** The end of a round. */
export interface PlayedRound {
  /** Its {@linkcode worldHash}. */
  readonly hash: string;
  /** Number of steps. */
  readonly tick: number;
  /** Entities at the end. */
  readonly entities: number;
  /** Lines of its console: a file that does not arrive changes the world, too. */
  readonly said: readonly string[];
  /** A hash of every place, each {@linkcode MARKED} steps. */
  readonly marks: readonly number[];
}

/** Steps from one mark to the next. */
export const MARKED = 60;

const CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: () => new Promise((resolve) => setTimeout(resolve, 0)),
};

/** Plays the `round.json` of a built game. @param base Its URL, with a slash at the end. */
export async function playRound(base: string, fetch: PageFetch): Promise<PlayedRound> {
  const opened = await openContent(base, fetch);
  if (!opened.ok) throw new Error(opened.error.detail);
  const { content } = opened.value;
  const file = await (await fetch(`${base}round.json`)).arrayBuffer();
  const recording = parseRecording("round.json", new Uint8Array(file));
  if (!recording.ok) throw new Error(recording.error.message);
  const { scene, viewport, saved } = recording.value;
  const said: string[] = [];
  const host = await SceneHost.open(content, scene, {
    clock: CLOCK,
    viewport,
    saved: new Map(Object.entries(saved)),
    console: { write: (_level, text) => said.push(text) },
  });
  if (!host.ok) throw new Error(host.error.detail);
  const marks: number[] = [];
  const running = await RunningGame.start(host.value, content, {
    afterStep: (tick) => tick % MARKED === 0 && marks.push(markOf(running)),
  });
  await replay(running, recording.value, new AbortController().signal);
  const { game } = running;
  const hash = await worldHash(game);
  const played = { hash, tick: game.tick, entities: game.world.size, said, marks };
  running.end();
  return played;
}

/** FNV-1a of the numbers of every Transform, to the bit. */
function markOf({ game: { world } }: RunningGame): number {
  let mark = 0x811c9dc5;
  for (const { traits } of world.withTrait("Transform")) {
    for (const value of Object.values(traits["Transform"] ?? {})) {
      NUMBER[0] = typeof value === "number" ? value + 0 : 0; // no negative zero
      for (const half of HALVES) mark = Math.imul(mark ^ half, 0x01000193);
    }
  }
  return mark >>> 0;
}

const NUMBER = new Float64Array(1);
const HALVES = new Uint32Array(NUMBER.buffer);
