import { encodeUtf8 } from "../core/bytes.ts";
import { messageOf } from "../core/result.ts";
import { Turns } from "../core/turns.ts";
import {
  parseRecording,
  playBack,
  type RoundEnd,
  roundEnd,
  type RunningGame,
  serializeRecording,
  worldHash,
} from "../game/play/mod.ts";
import { type Game, STEP } from "../game/world/mod.ts";
import type { GameScreen, View, WebContent } from "./content/mod.ts";
import { GameViews } from "./game-views.ts";
import { listen, type Listening } from "./input/mod.ts";
import { PAGE_CLOCK } from "./page-clock.ts";
import type { Picture } from "./picture/mod.ts";
import { PageLayout } from "./screen-layout.ts";
import type { Stage } from "./stage.ts";
import type { Surface } from "./surface/mod.ts";

/** Steps that are made up for in one frame; what is more is let go. */
const CATCH_UP = 5;

/** The parts of a game that plays in a page. */
export interface PlayerParts {
  readonly running: RunningGame;
  readonly content: WebContent;
  readonly stage: Stage;
  readonly picture: Picture;
  readonly surface: Surface;
  /** What lets it be heard. */
  readonly views: readonly View[];
  /** Told in a sentence why the game cannot go on. */
  readonly onEnd: (why: string) => void;
}

/** Plays a game in a page: the steps that are due at each frame, then one picture of it. */
export class Player {
  /** Stands still, or goes on; what is seen stays. */
  paused = false;
  readonly #parts: PlayerParts;
  #running: RunningGame;
  readonly #views: GameViews;
  readonly #listening: Listening;
  readonly #turns = new Turns();
  readonly #ended = new AbortController();
  /** What was shown last while the game stood still; empty when it went on. */
  #shown = "";
  #before = 0;
  #owed = 0;

  constructor(parts: PlayerParts) {
    this.#parts = parts;
    this.#running = parts.running;
    const { content, running: { yoga }, picture, surface } = parts;
    this.#views = new GameViews({
      picture,
      surface,
      layout: new PageLayout(yoga, content.details),
    });
    this.#listening = listen(parts.stage.element, {
      screen: () => parts.stage.screen(),
      take: (event) => this.#running.input.take(event),
    });
  }

  /** The game in the scene that it is in now. */
  get game(): Game {
    return this.#running.game;
  }

  /** Shows the first frame, with all that is seen in it, and goes on from there. */
  async start(): Promise<void> {
    await this.#showWhole(0);
    this.#before = performance.now();
    requestAnimationFrame(this.#frame);
  }

  /** Pauses, makes steps as fast as they can be made, and shows the last. @returns How many it made. */
  step(ticks: number): Promise<number> {
    this.paused = true;
    return this.#turns.take(async () => {
      const made = await this.#running.steps(ticks, this.#ended.signal);
      await this.#showWhole(made * STEP);
      return made;
    });
  }

  /** Shows the frame, and lets somebody look in the same turn: what WebGL drew is gone with the next. */
  seen(look: () => void): Promise<void> {
    return this.#turns.take(() => {
      this.#show(0);
      look();
      return Promise.resolve();
    });
  }

  /** The hash of the world as it is now: equal rounds have equal ones, wherever they are played. */
  hash(): Promise<string> {
    return worldHash(this.game);
  }

  /** The round until now, as the text of its file; `null` where it has become too long. */
  async recording(): Promise<string | null> {
    const recording = this.#running.recorder.upTo(this.game.tick);
    const hash = await this.hash();
    return recording === null ? null : serializeRecording({ ...recording, hash });
  }

  /**
   * Pauses, plays a recorded round in place of the game, and shows where it ends.
   *
   * @param recording The text of its file.
   * @returns The hash of the world there, and whether it is the one that was recorded.
   * @throws {Error} When it cannot be played, in a sentence.
   */
  playBack(recording: string): Promise<RoundEnd> {
    this.paused = true;
    return this.#turns.take(async () => {
      const parsed = parseRecording("recording", encodeUtf8(recording));
      if (!parsed.ok) throw new Error(parsed.error.message);
      const { content } = this.#parts;
      const played = await playBack(parsed.value, content, {
        clock: PAGE_CLOCK,
        signal: this.#ended.signal,
      });
      if (!played.ok) throw new Error(played.error.detail);
      this.#running.end();
      this.#running = played.value;
      await this.#showWhole(0);
      return await roundEnd(played.value, parsed.value);
    });
  }

  readonly #frame = async (now: DOMHighResTimeStamp): Promise<void> => {
    const elapsed = Math.max(0, (now - this.#before) / 1000);
    this.#before = now;
    try {
      await this.#turns.take(async () => {
        this.#listening.poll();
        await this.#advance(elapsed);
        if (!this.paused || this.#hasChanged()) this.#show(elapsed);
      });
    } catch (thrown) {
      this.#end(`The game had to stop: ${messageOf(thrown)}`);
    }
    if (!this.#ended.signal.aborted) requestAnimationFrame(this.#frame);
  };

  async #advance(elapsed: number): Promise<void> {
    if (this.paused) return;
    this.#owed += elapsed / STEP;
    const due = Math.min(Math.floor(this.#owed), CATCH_UP);
    // A page that was hidden, or a device that slept, does not play what was missed.
    this.#owed = this.#owed - due > CATCH_UP ? 0 : this.#owed - due;
    if (due > 0) await this.#running.steps(due, this.#ended.signal);
    const { blocked } = this.#running.game;
    if (blocked !== null) this.#end(`${blocked.detail}. ${blocked.hint}`);
  }

  /** Shows a frame again once everything that is seen in it is there. */
  async #showWhole(elapsed: number): Promise<void> {
    this.#show(elapsed);
    await this.#views.whole();
    this.#show(0);
  }

  /** Whether a game that stands still looks otherwise than it was shown last. */
  #hasChanged(): boolean {
    const { game, input } = this.#running;
    return this.#shown !== shownOf(game, input.pressed, this.#parts.stage.screen());
  }

  #show(elapsed: number): void {
    const { stage, views } = this.#parts;
    const { game, input } = this.#running;
    const screen = stage.screen();
    this.#shown = this.paused ? shownOf(game, input.pressed, screen) : "";
    const { width, height } = screen;
    if (width !== input.viewport.width || height !== input.viewport.height) {
      input.take({ kind: "resize", width, height });
    }
    const { pressed } = input;
    const seen = this.#views.show({ game, screen, elapsed, pressed });
    for (const view of views) view.show({ ...seen, game, paused: this.paused });
  }

  #end(why: string): void {
    this.#ended.abort();
    this.#listening.dispose();
    this.#parts.onEnd(why);
  }
}

/** All that a picture of a game which stands still follows from. */
function shownOf(
  { round, tick, world: { rev } }: Game,
  pressed: readonly number[],
  { width, height, pixelRatio }: GameScreen,
): string {
  return [round, tick, rev, width, height, pixelRatio, ...pressed].join(" ");
}
