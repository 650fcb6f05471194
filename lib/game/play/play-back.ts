import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { GameContent } from "../world/mod.ts";
import type { Recording } from "./recording.ts";
import { RunningGame } from "./running-game.ts";
import { SceneHost, type SceneHostOptions } from "./scene-host.ts";
import { worldHash } from "./world-hash.ts";

/** What playing a recording back needs. */
export interface PlayBackOptions extends Pick<SceneHostOptions, "clock" | "journals" | "console"> {
  /** Ends it early. */
  readonly signal?: AbortSignal;
}

/** The world in which a recording that was played back ends. */
export interface RoundEnd {
  /** Of the world, as {@linkcode worldHash} makes it. */
  readonly hash: string;
  /** Whether it is the world that was recorded; absent where the recording does not tell its hash. */
  readonly same?: boolean;
}

/** Compares the world at the end of a recording with the one that was recorded. */
export async function roundEnd(
  { game }: RunningGame,
  { ticks, hash: recorded }: Recording,
): Promise<RoundEnd> {
  const { tick } = game;
  const hash = await worldHash(game);
  if (recorded === undefined) return { hash };
  return { hash, same: tick === ticks && hash === recorded };
}

/**
 * Plays a recording from its beginning to its end, as fast as it can: the same world to the bit as
 * when it was played.
 *
 * @returns The game where the recording ends, for its caller to end; or why it cannot begin.
 */
export async function playBack(
  recording: Recording,
  content: GameContent,
  { signal = new AbortController().signal, ...told }: PlayBackOptions,
): Promise<Result<RunningGame, Problem>> {
  const { scene, viewport, saved } = recording;
  const kept = new Map(Object.entries(saved));
  const host = await SceneHost.open(content, scene, { ...told, viewport, saved: kept });
  if (!host.ok) return host;
  const running = await RunningGame.start(host.value, content);
  await replay(running, recording, signal);
  return ok(running);
}

/** Does what a recording holds to a game that has made no step yet. */
export async function replay(
  running: RunningGame,
  { events, ticks }: Pick<Recording, "events" | "ticks">,
  signal: AbortSignal,
): Promise<void> {
  let made = 0;
  for (const [tick, event] of events) {
    made += await running.steps(tick - made, signal);
    if (made < tick) return; // it was ended, or the world cannot go on
    running.input.take(event);
  }
  await running.steps(ticks - made, signal);
}
