import type { Yoga } from "yoga-layout/load";
import { messageOf } from "../core/result.ts";
import type { RunningGame } from "../game/play/mod.ts";
import { STEP } from "../game/world/mod.ts";
import type { View, WebContent } from "./content/mod.ts";
import { PageLayout } from "./screen-layout.ts";
import type { Stage } from "./stage.ts";

/** Steps that are made up for in one frame; what is more is let go. */
const CATCH_UP = 5;

/** The parts of a game that plays in a page. */
export interface PlayerParts {
  readonly running: RunningGame;
  readonly content: WebContent;
  readonly stage: Stage;
  readonly yoga: Yoga;
  readonly views: readonly View[];
  /** Told in a sentence why the game cannot go on. */
  readonly onEnd: (why: string) => void;
}

/** Plays a game in a page: the steps that are due at each frame, then one picture of it. */
export class Player {
  readonly #parts: PlayerParts;
  readonly #layout: PageLayout;
  readonly #signal = new AbortController();
  #before = 0;
  #owed = 0;
  #isPaused = false;
  #ended = false;

  constructor(parts: PlayerParts) {
    this.#parts = parts;
    this.#layout = new PageLayout(parts.yoga, parts.content.details);
  }

  /** Steps that were made since the beginning. */
  get tick(): number {
    return this.#parts.running.game.tick;
  }

  /** Shows the first frame, and goes on from there. */
  start(): void {
    this.#before = performance.now();
    this.#show(0);
    requestAnimationFrame(this.#frame);
  }

  /** Stands still, or goes on; what is seen stays. */
  set paused(paused: boolean) {
    this.#isPaused = paused;
    this.#owed = 0;
  }

  get paused(): boolean {
    return this.#isPaused;
  }

  /** Makes steps as fast as they can be made, and shows the last. @returns How many were made. */
  async step(ticks: number): Promise<number> {
    const made = await this.#parts.running.steps(ticks, this.#signal.signal);
    this.#show(made * STEP);
    return made;
  }

  readonly #frame = async (now: DOMHighResTimeStamp): Promise<void> => {
    const elapsed = Math.max(0, (now - this.#before) / 1000);
    this.#before = now;
    try {
      if (!this.#isPaused) await this.#advance(elapsed);
      this.#show(elapsed);
    } catch (thrown) {
      this.#end(`The game had to stop: ${messageOf(thrown)}`);
    }
    if (!this.#ended) requestAnimationFrame(this.#frame);
  };

  async #advance(elapsed: number): Promise<void> {
    const { running } = this.#parts;
    this.#owed += elapsed / STEP;
    const due = Math.min(Math.floor(this.#owed), CATCH_UP);
    // A page that was hidden, or a device that slept, does not play what was missed.
    this.#owed = this.#owed - due > CATCH_UP ? 0 : this.#owed - due;
    if (due > 0) await running.steps(due, this.#signal.signal);
    const { blocked } = running.game;
    if (blocked !== null) this.#end(`${blocked.detail}. ${blocked.hint}`);
  }

  #show(elapsed: number): void {
    const { running: { game, input }, stage, views } = this.#parts;
    const screen = stage.screen();
    const { width, height } = screen;
    if (width !== input.viewport.width || height !== input.viewport.height) {
      input.take({ kind: "resize", width, height });
    }
    const layout = this.#layout.of(game.world, screen);
    const [pressed = null] = input.pressed;
    const moment = { game, layout, screen, elapsed, pressed, paused: this.#isPaused };
    for (const view of views) view.show(moment);
  }

  #end(why: string): void {
    this.#ended = true;
    this.#signal.abort();
    console.error(why);
    this.#parts.onEnd(why);
  }
}
