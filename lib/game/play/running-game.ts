import { loadYoga, type Yoga } from "yoga-layout/load";
import { eventLoopTurn, runCooperatively } from "../../core/cooperative.ts";
import { messageOf } from "../../core/result.ts";
import type { GameHost } from "../world/game-host.ts";
import type { GameContent } from "../world/game-content.ts";
import { hasBodies } from "../world/bodies.ts";
import { Controls } from "../world/controls.ts";
import { Game } from "../world/game.ts";
import { type GameAssets, loadGameAssets } from "../world/game-assets.ts";
import { loadRapier, type Rapier } from "../world/rapier.ts";
import { STEPS_PER_SECOND } from "../world/system.ts";
import { LiveWorld } from "../world/live-world.ts";
import type { Entity } from "../types/mod.ts";
import { EntityDocument } from "../scene/document.ts";
import { PlayerInput } from "./player-input.ts";
import { type InputListener, Recorder } from "./recording.ts";

/** Maximum steps made up for in one turn of the loop; further ones are dropped. */
const CATCH_UP = 5;
/** Milliseconds of work after which others get their turn, which takes a millisecond itself. */
const SLICE = 16;

/** Listeners of a game. */
export interface RunningGameOptions {
  /** Called after every step, with its number. */
  readonly afterStep?: (tick: number) => void;
  /** Called for all input. */
  readonly taken?: InputListener;
}

/** A running game from start to end, across scenes. */
export class RunningGame {
  /** Receives the player's input. */
  readonly input: PlayerInput;
  /** Records the input from the first step on. */
  readonly recorder: Recorder;
  /** Layout engine of the UI layer. */
  readonly yoga: Yoga;
  readonly #host: GameHost;
  readonly #content: GameContent;
  readonly #assets: GameAssets;
  /** `null` as long as no scene has bodies: it is far larger than all else. */
  #rapier: Rapier | null;
  readonly #afterStep: (tick: number) => void;
  readonly #controls = new Controls();
  #game: Game;
  /** Times of the last second's steps. */
  #made: { readonly at: number; readonly steps: number }[] = [];

  private constructor(
    host: GameHost,
    { content, assets, world, rapier, yoga, afterStep = () => {}, taken }: RunningGameOptions & {
      readonly content: GameContent;
      readonly assets: GameAssets;
      readonly world: LiveWorld;
      readonly rapier: Rapier | null;
      readonly yoga: Yoga;
    },
  ) {
    this.yoga = yoga;
    this.#host = host;
    this.#content = content;
    this.#assets = assets;
    this.#rapier = rapier;
    this.#afterStep = afterStep;
    host.round++;
    const { scenePath: scene, viewport: { width, height }, saved } = host;
    const viewport = { width, height };
    const start = { scene, viewport, saved: Object.fromEntries(saved.entries()) };
    this.recorder = new Recorder(start, taken);
    this.#game = this.#newGame(world, 0);
    this.input = new PlayerInput(this.#game, { yoga, viewport, recorder: this.recorder });
    host.playing = this.#game.world;
  }

  /** Starts the scene of the host. */
  static async start(
    host: GameHost,
    content: GameContent,
    options: RunningGameOptions = {},
  ): Promise<RunningGame> {
    const now = () => host.clock.monotonic();
    const [assets, yoga] = await Promise.all([loadGameAssets(content, now), loadYoga()]);
    const entities = host.document.entities();
    const isPhysical = await runCooperatively(hasBodies(entities, assets), { now });
    const rapier = isPhysical ? await loadRapier() : null;
    for (const warning of assets.warnings) host.console.write("warn", warning);
    const world = await worldOf(host, entities);
    return new RunningGame(host, { content, assets, world, rapier, yoga, ...options });
  }

  /** The game in the scene that it is in now. */
  get game(): Game {
    return this.#game;
  }

  /** Steps that were made within the last second. */
  get rate(): number {
    const now = this.#host.clock.monotonic();
    return this.#made.filter(({ at }) => now - at < 1000)
      .reduce((sum, { steps }) => sum + steps, 0);
  }

  /** Ends it: the edited scene is shown again. */
  end(): void {
    this.#leave();
    this.#host.playing = null;
    this.#host.playingScene = null;
  }

  /**
   * Runs steps at the speed of the clock until cancelled; writes faults to the console.
   *
   * @param timeScale Returns the speed relative to real time, called in each turn.
   */
  async run(busy: AbortController, timeScale: () => number): Promise<void> {
    const { clock } = this.#host;
    let before = clock.monotonic();
    let owed = 0;
    while (!busy.signal.aborted) {
      await clock.sleep(1000 / STEPS_PER_SECOND, busy.signal).then(() => {}, () => {});
      const now = clock.monotonic();
      // A clock that does not advance must not block other work.
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
        this.#host.console.write("error", `${blocked.detail}. ${blocked.hint}`);
        busy.abort();
      } catch (thrown) {
        this.#host.console.write("error", `The game was paused: ${messageOf(thrown)}`);
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
    const { clock } = this.#host;
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
    const at = this.#host.clock.monotonic();
    if (steps > 0) this.#made.push({ at, steps });
    while (at - (this.#made[0]?.at ?? at) >= 1000) this.#made.shift();
  }

  /** Continues in another scene; if it cannot be opened, the game stays in the current one. */
  async #changeScene(scenePath: string): Promise<void> {
    this.#game.nextScene = null;
    this.input.leave();
    const path = scenePath === "" ? this.#host.playingScene : scenePath;
    const entities = path === null ? this.#host.document.entities() : await this.#entitiesOf(path);
    if (entities === null) return this.input.enter(this.#game);
    const now = () => this.#host.clock.monotonic();
    if (
      this.#rapier === null && await runCooperatively(hasBodies(entities, this.#assets), { now })
    ) {
      this.#rapier = await loadRapier();
    }
    const { tick } = this.#game;
    this.#host.nextPlayRev = this.#game.world.rev + 1;
    const world = await worldOf(this.#host, entities);
    this.#leave();
    this.#show(this.#newGame(world, tick));
    this.#host.playingScene = path;
    this.#game.event("scene", { path });
  }

  /**
   * Returns the entities of a scene; `null` if it cannot be opened, which is reported on the
   * console.
   */
  async #entitiesOf(path: string): Promise<readonly Entity[] | null> {
    const read = await this.#content.readScene(path);
    if (read.ok) {
      const { document, clock } = this.#host;
      const next = EntityDocument.of(read.value.entities, document, this.#content);
      return (await runCooperatively(next, { now: () => clock.monotonic() })).entities();
    }
    this.#host.console.write("error", `Cannot continue in "${path}": ${read.error.detail}`);
    return null;
  }

  #newGame(world: LiveWorld, tick: number): Game {
    return new Game(this.#host, {
      content: this.#content,
      assets: this.#assets,
      rapier: this.#rapier,
      controls: this.#controls,
      world,
      tick,
    });
  }

  #show(game: Game): void {
    this.#game = game;
    this.input.enter(game);
    this.#host.playing = game.world;
  }

  #leave(): void {
    this.#host.nextPlayRev = this.#game.world.rev + 1;
    this.#game.free();
  }
}

/** The world of a scene, in turns: it may hold 100,000 entities. */
function worldOf(
  { clock, nextPlayRev }: GameHost,
  entities: readonly Entity[],
): Promise<LiveWorld> {
  return runCooperatively(LiveWorld.of(entities, nextPlayRev), { now: () => clock.monotonic() });
}
