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
import type { GameScreen, GameView, WebContent } from "./content/mod.ts";
import { GameViews } from "./game-views.ts";
import { type InputListening, listen } from "./input/mod.ts";
import { PAGE_CLOCK } from "./page-clock.ts";
import type { Picture } from "./picture/mod.ts";
import { PageLayout } from "./screen-layout.ts";
import type { PageStage } from "./stage.ts";
import type { Surface } from "./surface/mod.ts";

/** Maximum steps made up for in one frame; further ones are dropped. */
const CATCH_UP = 5;

/** The parts of a game that plays in a page. */
export interface PlayerParts {
  readonly running: RunningGame;
  readonly content: WebContent;
  readonly stage: PageStage;
  readonly picture: Picture;
  readonly surface: Surface;
  /** The views that play its sounds. */
  readonly views: readonly GameView[];
  /** Called with a sentence when the game cannot continue. */
  readonly onEnd: (why: string) => void;
}

/** Plays a game in a page: the steps that are due at each frame, then one picture of it. */
export class Player {
  /** Pauses or resumes the game; the picture stays. */
  paused = false;
  readonly #parts: PlayerParts;
  #running: RunningGame;
  readonly #views: GameViews;
  readonly #listening: InputListening;
  readonly #turns = new Turns();
  readonly #ended = new AbortController();
  /** Key of the last picture of a paused game; empty while it runs. */
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

  /** Shows the first frame with everything loaded, and starts to run. */
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

  /**
   * Shows a frame, and calls `look` in the same turn, because WebGL's picture is discarded after
   * it.
   */
  seen(look: () => void): Promise<void> {
    return this.#turns.take(() => {
      this.#show(0);
      look();
      return Promise.resolve();
    });
  }

  /**
   * Returns the hash of the current world: equal rounds have equal hashes wherever they are played.
   */
  hash(): Promise<string> {
    return worldHash(this.game);
  }

  /** Returns the round so far as the text of its file; `null` if it is too long. */
  async recording(): Promise<string | null> {
    const recording = this.#running.recorder.upTo(this.game.tick);
    const hash = await this.hash();
    return recording === null ? null : serializeRecording({ ...recording, hash });
  }

  /**
   * Pauses, plays a recorded round in place of the game, and shows its end.
   *
   * @param recording The text of its file.
   * @returns The hash of the final world, and whether it equals the recorded one.
   * @throws {Error} A sentence if it cannot be played.
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
    // After being hidden or asleep, the page does not play the missed steps.
    this.#owed = this.#owed - due > CATCH_UP ? 0 : this.#owed - due;
    if (due > 0) await this.#running.steps(due, this.#ended.signal);
    const { blocked } = this.#running.game;
    if (blocked !== null) this.#end(`${blocked.detail}. ${blocked.hint}`);
  }

  /** Shows a frame again once everything in it has loaded. */
  async #showWhole(elapsed: number): Promise<void> {
    this.#show(elapsed);
    await this.#views.whenLoaded();
    this.#show(0);
  }

  /** Returns whether a paused game looks different from its last picture. */
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

/** Returns a key of everything that determines the picture of a paused game. */
function shownOf(
  { round, tick, world: { rev } }: Game,
  pressed: readonly number[],
  { width, height, pixelRatio }: GameScreen,
): string {
  return [round, tick, rev, width, height, pixelRatio, ...pressed].join(" ");
}
