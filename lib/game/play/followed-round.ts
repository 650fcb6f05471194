import type { Clock } from "../../ports/clock.ts";
import { Turns } from "../../core/turns.ts";
import { EntityDocument } from "../scene/mod.ts";
import type { GameContent } from "../world/mod.ts";
import type { LiveRound, TakenEvents } from "./live-round.ts";
import { RunningGame } from "./running-game.ts";
import { SceneHost, type SceneHostOptions } from "./scene-host.ts";
import { worldHash } from "./world-hash.ts";

/** What following needs beside the content. */
export interface FollowOptions extends Pick<SceneHostOptions, "journals" | "console"> {
  readonly clock: Clock;
}

/**
 * A game that is played beside another one, which it follows: the same start, the same input at the
 * same steps, and so the same world, to the bit. Nothing but the input is told.
 */
export class FollowedRound {
  /** Which game of the other one it is. */
  readonly round: number;
  readonly running: RunningGame;
  readonly #turns = new Turns();
  /** Those that are yet to be taken, in order. */
  #events: LiveRound["events"];
  /** Events of the round that came so far. */
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

  /** Begins where the round began: {@linkcode advanceTo} takes it to where that is now. */
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
   * Whether this is another game by now: an event was missed, or came too late, or the other one was
   * changed by what no event tells. Open the round again then.
   */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Takes what the other game was given, what is known already among it. */
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
   * Makes steps as fast as they can be made until so many are made in all, each event at its step.
   *
   * @returns Steps that are made in all: fewer once it has ended, or the world cannot go on.
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

  /** The hash of the world as it is now: that of the other game at the same step. */
  hash(): Promise<string> {
    return worldHash(this.running.game);
  }

  /** Ends it: no step is made any more, of those that are under way neither. */
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
