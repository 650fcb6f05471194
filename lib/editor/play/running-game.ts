import { eventLoopTurn } from "../../core/cooperative.ts";
import { messageOf } from "../../core/result.ts";
import { Game } from "../game/game.ts";
import { type GameAssets, loadGameAssets } from "../game/game-assets.ts";
import { loadRapier, type Rapier } from "../game/rapier.ts";
import { STEPS_PER_SECOND } from "../game/system.ts";
import type { Entity } from "../ports/mod.ts";
import { EntityDocument } from "../scene/document.ts";
import type { EditorCore } from "../session/editor-core.ts";
import { readSceneAt } from "../session/scene-files.ts";

/** Steps that are made up for in one turn of the loop; what is more is let go. */
const CATCH_UP = 5;
/** Milliseconds of work after which others get their turn, which takes a millisecond itself. */
const SLICE = 16;

/** The game that runs, from its start to its end, whichever scene it goes on to. */
export class RunningGame {
  readonly #core: EditorCore;
  readonly #assets: GameAssets;
  readonly #rapier: Rapier;
  readonly #afterStep: (tick: number) => void;
  #game: Game;
  /** When the steps of the last second were made. */
  #made: { readonly at: number; readonly steps: number }[] = [];

  private constructor(
    core: EditorCore,
    { assets, rapier, afterStep }: {
      readonly assets: GameAssets;
      readonly rapier: Rapier;
      readonly afterStep: (tick: number) => void;
    },
  ) {
    this.#core = core;
    this.#assets = assets;
    this.#rapier = rapier;
    this.#afterStep = afterStep;
    core.round++;
    this.#game = this.#newGame(core.document.entities(), 0);
    core.playing = this.#game.world;
  }

  /** Starts the open scene. @param afterStep Called after every step, with its number. */
  static async start(
    core: EditorCore,
    afterStep: (tick: number) => void,
  ): Promise<RunningGame> {
    const [rapier, assets] = await Promise.all([loadRapier(), loadGameAssets(core)]);
    for (const warning of assets.warnings) core.console.write("warn", warning);
    return new RunningGame(core, { assets, rapier, afterStep });
  }

  /** The game in the scene that it is in now. */
  get game(): Game {
    return this.#game;
  }

  /** Steps that were made within the last second. */
  get rate(): number {
    const now = this.#core.clock.monotonic();
    return this.#made.filter(({ at }) => now - at < 1000)
      .reduce((sum, { steps }) => sum + steps, 0);
  }

  /** Ends it: the edited scene is shown again. */
  end(): void {
    this.#leave();
    this.#core.playing = null;
    this.#core.playingScene = null;
  }

  /**
   * Makes steps at the speed of the clock until it is cancelled; the console says what goes wrong.
   *
   * @param timeScale How much faster, asked in each turn.
   */
  async run(busy: AbortController, timeScale: () => number): Promise<void> {
    const { clock } = this.#core;
    let before = clock.monotonic();
    let owed = 0;
    while (!busy.signal.aborted) {
      await clock.sleep(1000 / STEPS_PER_SECOND, busy.signal).then(() => {}, () => {});
      const now = clock.monotonic();
      // A clock that stands still must not keep everything else from running.
      if (now === before) await eventLoopTurn();
      owed += (now - before) / 1000 * STEPS_PER_SECOND * timeScale();
      before = now;
      const most = Math.ceil(CATCH_UP * Math.max(1, timeScale()));
      const due = Math.min(Math.floor(owed), most);
      owed = owed - due > most ? 0 : owed - due;
      try {
        if (due > 0) await this.steps(due, busy.signal);
        const { blocked } = this.#game;
        if (blocked === null) continue;
        this.#core.console.write("error", `${blocked.detail}. ${blocked.hint}`);
        busy.abort();
      } catch (thrown) {
        this.#core.console.write("error", `The game was paused: ${messageOf(thrown)}`);
        busy.abort();
      }
    }
  }

  /**
   * Makes steps as fast as they can be made; others get their turn between them.
   *
   * @param isEnough Asked after every step; the first that holds is the last one made.
   * @returns How many were made.
   */
  async steps(
    ticks: number,
    signal: AbortSignal,
    isEnough: () => boolean = () => false,
  ): Promise<number> {
    const { clock } = this.#core;
    let [done, counted] = [0, 0];
    let since = clock.monotonic();
    while (done < ticks && !signal.aborted && this.#game.blocked === null) {
      this.#game.step();
      done++;
      this.#afterStep(this.#game.tick);
      const { nextScene } = this.#game;
      if (nextScene !== null) await this.#changeScene(nextScene);
      if (isEnough()) break;
      if (clock.monotonic() - since < SLICE) continue;
      this.#count(done - counted);
      counted = done;
      await clock.sleep(0).then(() => {}, () => {});
      since = clock.monotonic();
    }
    this.#count(done - counted);
    return done;
  }

  #count(steps: number): void {
    const at = this.#core.clock.monotonic();
    if (steps > 0) this.#made.push({ at, steps });
    while (at - (this.#made[0]?.at ?? at) >= 1000) this.#made.shift();
  }

  /** Goes on in another scene; the game stays where it is when that cannot be opened. */
  async #changeScene(scenePath: string): Promise<void> {
    this.#game.nextScene = null;
    const { document, maxEntities } = this.#core;
    const read = await readSceneAt(this.#core, scenePath);
    if (!read.ok) {
      this.#core.console.write("error", `Cannot go on in "${scenePath}": ${read.error.detail}`);
      return;
    }
    const { tick } = this.#game;
    const seeds = read.value.scene.entities;
    const entities = new EntityDocument(seeds, document, { maxEntities }).entities();
    this.#leave();
    this.#show(this.#newGame(entities, tick));
    this.#core.playingScene = scenePath;
    this.#game.event("scene", { path: scenePath });
  }

  #newGame(entities: readonly Entity[], tick: number): Game {
    return new Game(this.#core, { assets: this.#assets, rapier: this.#rapier, entities, tick });
  }

  #show(game: Game): void {
    this.#game = game;
    this.#core.playing = game.world;
  }

  #leave(): void {
    this.#core.nextPlayRev = this.#game.world.rev + 1;
    this.#game.free();
  }
}
