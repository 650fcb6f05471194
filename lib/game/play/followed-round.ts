import type { Clock } from "../../ports/clock.ts";
import { Turns } from "../../core/turns.ts";
import { EntityDocument } from "../scene/mod.ts";
import type { GameContent } from "../world/mod.ts";
import type { LiveRound, TakenEvents } from "./live-round.ts";
import { RunningGame } from "./running-game.ts";
import { SceneHost, type SceneHostOptions } from "./scene-host.ts";
import { worldHash } from "./world-hash.ts";

/** Options of following, in addition to the content. */
export interface FollowOptions extends Pick<SceneHostOptions, "journals" | "console"> {
  readonly clock: Clock;
}

/**
 * A copy of another running game, which it follows: with the same start and the same input at the
 * same steps, the worlds are identical to the bit. Only the input is transmitted.
 */
export class FollowedRound {
  /** Number of the followed game. */
  readonly round: number;
  readonly running: RunningGame;
  readonly #turns = new Turns();
  /** Events not yet taken, in order. */
  #events: LiveRound["events"];
  /** Number of the round's events so far. */
  #count: number;
  #isLost: boolean;
  readonly #ended = new AbortController();

  private constructor(round: LiveRound, running: RunningGame) {
    this.round = round.round;
    this.running = running;
    this.#events = round.events;
    this.#count = round.events.length;
    this.#isLost = round.offRecord;
  }

  /** Starts at the beginning of the round; {@linkcode advanceTo} catches up. */
  static async open(
    round: LiveRound,
    content: GameContent,
    options: FollowOptions,
  ): Promise<FollowedRound> {
    const { entities, nextId, scenePath, viewport, saved } = round;
    const document = EntityDocument.restore(entities, nextId, content);
    const kept = new Map(Object.entries(saved));
    const host = SceneHost.of(document, scenePath, { ...options, viewport, saved: kept });
    host.round = round.round - 1; // it is that one which begins
    return new FollowedRound(round, await RunningGame.start(host, content));
  }

  /**
   * Whether this copy has diverged: an event was missed or late, or something other than an event
   * changed the followed game. The caller opens the round again.
   */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Accepts events of the followed game; skips known ones. */
  take({ round, first, events }: TakenEvents): void {
    if (round !== this.round || first > this.#count) {
      this.#isLost = true;
      return;
    }
    const fresh = events.slice(this.#count - first);
    this.#count += fresh.length;
    this.#isLost ||= fresh.some(([tick]) => tick < this.running.game.tick);
    this.#events = [...this.#events, ...fresh];
  }

  /**
   * Runs steps without waiting until the total reaches `tick`, applying each event at its step.
   *
   * @returns The total of steps: fewer if it was ended or the world cannot continue.
   */
  advanceTo(tick: number): Promise<number> {
    return this.#turns.take(async () => {
      const { running } = this;
      const { signal } = this.#ended;
      for (;;) {
        if (signal.aborted) return running.game.tick;
        this.#takeDue();
        const { tick: made } = running.game;
        const next = Math.min(tick, this.#events[0]?.[0] ?? tick);
        if (made >= next) return made;
        if (await running.steps(next - made, signal) < next - made) return running.game.tick;
      }
    });
  }

  /** Returns the hash of the current world, equal to the followed game's at the same step. */
  hash(): Promise<string> {
    return worldHash(this.running.game);
  }

  /** Ends it: no further step runs, not even of a running advance. */
  end(): void {
    this.#ended.abort();
    void this.#turns.take(() => Promise.resolve(this.running.end()));
  }

  #takeDue(): void {
    const { game, input } = this.running;
    let due = 0;
    for (const [tick, event] of this.#events) {
      if (tick > game.tick) break;
      input.take(event);
      due++;
    }
    if (due > 0) this.#events = this.#events.slice(due);
  }
}
