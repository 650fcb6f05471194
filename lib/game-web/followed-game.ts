import { type Failure, ok, type Result } from "../core/result.ts";
import type { FollowedRound, RunningGame } from "../game/play/mod.ts";
import type { GameView, WebContent } from "./content/mod.ts";
import { PAGE_CLOCK } from "./page-clock.ts";

/** A copy of the editor's game, played from the input and the steps that the editor reports. */
export class FollowedGame {
  /** Code that only following needs, loaded at the first {@linkcode start}. */
  #code: typeof import("./following.ts") | null = null;
  #round: FollowedRound | null = null;
  #steps = 0;
  #isPaused = true;

  /** The game; `null` while none is followed. */
  get running(): RunningGame | null {
    return this.#round?.running ?? null;
  }

  /** Whether the editor plays a different game. */
  get isLost(): boolean {
    return this.#round?.isLost ?? false;
  }

  /** Whether the game was paused at its last step. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /**
   * Opens a round in place of the previous one.
   *
   * @param round Answer of `GET /api/whole/round`.
   * @param signal Ends the round immediately if already aborted.
   * @returns The step of the editor's game; `null` after an abort; `invalid-round` for anything
   * else.
   */
  async start(
    round: unknown,
    content: WebContent,
    signal: AbortSignal,
  ): Promise<Result<number | null, Failure<"invalid-round">>> {
    this.#code = await import("./following.ts");
    const read = this.#code.readLiveRound(round);
    if (!read.ok) return read;
    const opened = await this.#code.FollowedRound.open(read.value, content, { clock: PAGE_CLOCK });
    this.end();
    if (signal.aborted) {
      opened.end();
      return ok(null);
    }
    this.#round = opened;
    return ok(read.value.tick);
  }

  /** Creates the view that plays the game's sounds; `null` before the first game. */
  createSound(content: WebContent): GameView | null {
    return this.#code?.createSound(content) ?? null;
  }

  /** Applies a change of kind `input`; ignored without a game. */
  take(input: unknown): void {
    const events = this.#code?.readTakenEvents(input) ?? null;
    if (events !== null) this.#round?.take(events);
  }

  /**
   * Advances to a step, as a change of kind `play` reports it.
   *
   * @returns The step that was reached, and whether that game is still followed; `null` without a
   * game.
   */
  async advanceTo(
    tick: number,
    paused: boolean,
  ): Promise<{ readonly tick: number; readonly isCurrent: boolean } | null> {
    const round = this.#round;
    if (round === null) return null;
    const before = round.running.game.tick;
    const made = await round.advanceTo(tick);
    const isCurrent = round === this.#round;
    if (isCurrent) {
      this.#steps += made - before;
      this.#isPaused = paused;
    }
    return { tick: made, isCurrent };
  }

  /** Steps since the last call. */
  takeSteps(): number {
    const steps = this.#steps;
    this.#steps = 0;
    return steps;
  }

  /** Hash of the game's world; `null` without a game. */
  async hash(): Promise<string | null> {
    return await this.#round?.hash() ?? null;
  }

  /** Stops following. */
  end(): void {
    this.#round?.end();
    this.#round = null;
  }
}
