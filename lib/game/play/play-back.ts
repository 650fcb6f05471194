import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { GameContent } from "../world/mod.ts";
import type { Recording } from "./recording.ts";
import { RunningGame } from "./running-game.ts";
import { SceneHost, type SceneHostOptions } from "./scene-host.ts";
import { worldHash } from "./world-hash.ts";

/** Options for playing a recording. */
export interface PlayBackOptions extends Pick<SceneHostOptions, "clock" | "journals" | "console"> {
  /** Cancels it. */
  readonly signal?: AbortSignal;
}

/** The world at the end of a replayed recording. */
export interface RoundEnd {
  /** Hash of the world by {@linkcode worldHash}. */
  readonly hash: string;
  /** Whether it equals the recorded world; absent if the recording has no hash. */
  readonly same?: boolean;
}

/** Compares the world at the end of a recording with the recorded one. */
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
 * Plays a recording from beginning to end without waiting; the world is identical to the recorded
 * one to the bit.
 *
 * @returns The game at the end of the recording, which the caller ends; or why it cannot start.
 */
export async function playBack(
  recording: Recording,
  content: GameContent,
  { signal = new AbortController().signal, ...rest }: PlayBackOptions,
): Promise<Result<RunningGame, Problem>> {
  const { scene, viewport, saved } = recording;
  const kept = new Map(Object.entries(saved));
  const host = await SceneHost.open(content, scene, { ...rest, viewport, saved: kept });
  if (!host.ok) return host;
  const running = await RunningGame.start(host.value, content);
  await replay(running, recording, signal);
  return ok(running);
}

/** Applies a recording to a game that has made no step yet. */
export async function replay(
  running: RunningGame,
  { events, ticks }: Pick<Recording, "events" | "ticks">,
  signal: AbortSignal,
): Promise<void> {
  let made = 0;
  for (const [tick, event] of events) {
    made += await running.steps(tick - made, signal);
    if (made < tick) return; // it was ended, or the world cannot continue
    running.input.take(event);
  }
  await running.steps(ticks - made, signal);
}
