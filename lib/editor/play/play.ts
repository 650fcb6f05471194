import type { JsonValue } from "../../core/json.ts";
import { nearestNames } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { type AssetScan, isSameScan } from "../assets/assets.ts";
import type { EditorCore } from "../session/editor-core.ts";
import type { SeenScene } from "../session/seen-scene.ts";
import type {
  ActionInfo,
  Actor,
  Handle,
  InputEvent,
  InputOutcome,
  LiveRound,
  Play,
  PlayState,
  SavedRound,
  Viewport,
} from "../ports/mod.ts";
import { Turns } from "../../core/turns.ts";
import { actionsIn, clipsOf, listeners, STEP } from "../../game/world/mod.ts";
import { projectContent } from "./project-content.ts";
import { type HandleParts, HandleRegistry } from "./handle-registry.ts";
import { replay, roundEnd, RunningGame } from "../../game/play/mod.ts";
import { interrupted, noSuchAction, notPlaying } from "./refusals.ts";
import { readRound, saveRound } from "./rounds.ts";

/** Steps of one {@linkcode Play.step}: ten minutes of game time. */
export const MAX_STEPS = 36_000;
/** The fastest a game runs against the clock. */
const MAX_TIME_SCALE = 100;

/** The parts of the editor that playing needs. */
export interface PlayParts extends HandleParts {
  /** Called after every step, with its number. */
  readonly afterStep: (tick: number) => void;
}

/** Playing, of the embedded editor. */
export interface EmbeddedPlay extends Play {
  /** Whether steps are made now, one after another. */
  readonly isStepping: boolean;
  /** {@linkcode Play.round}, which this editor can do. */
  round(): Result<LiveRound, Problem>;
  /** Stops the game and its background work. */
  close(): Promise<void>;
}

/** Plays the scene of the embedded editor. */
export class ScenePlay implements EmbeddedPlay {
  readonly #core: EditorCore;
  readonly #parts: PlayParts;
  readonly #handles: HandleRegistry;
  readonly #turns = new Turns();
  #running: RunningGame | null = null;
  /** The assets that the running game began with. */
  #scan: AssetScan | null = null;
  #timeScale = 1;
  /**
   * Cancels the loop of a game that runs against the clock, or a long step; `null` when neither
   * runs.
   */
  #busy: AbortController | null = null;
  #stepping = false;
  /** Controllers that cancel requested steps which have not started. */
  readonly #asked = new Set<AbortController>();
  #loop: Promise<void> = Promise.resolve();

  constructor(core: EditorCore, parts: PlayParts) {
    this.#core = core;
    this.#parts = parts;
    this.#handles = new HandleRegistry(core, parts);
  }

  get isStepping(): boolean {
    return this.#busy !== null;
  }

  state(): PlayState {
    const tick = this.#running?.game.tick ?? 0;
    const { playingScene: scene, round, scenePath } = this.#core;
    return {
      state: this.#running === null
        ? "stopped"
        : this.#busy === null || this.#stepping
        ? "paused"
        : "playing",
      tick,
      time: tick * STEP,
      timeScale: this.#timeScale,
      rate: this.#running?.rate ?? 0,
      ...(this.#running !== null && { round }),
      ...(scene !== null && scene !== scenePath && { scene }),
    };
  }

  play(source: Actor): Promise<Result<PlayState, Problem>> {
    return this.#turns.take(async () => {
      if (this.#busy !== null) return ok(this.state());
      const started = await this.#start("play");
      if (!started.ok) return started;
      const running = started.value;
      if (running.game.blocked !== null) return err(running.game.blocked);
      this.#note("play", source, { round: running.game.round });
      const busy = new AbortController();
      this.#busy = busy;
      this.#loop = running.run(busy, () => this.#timeScale).then(() => {
        this.#busy = null;
        this.#core.feed.played();
      });
      this.#core.feed.played();
      return ok(this.state());
    });
  }

  pause(source: Actor): Promise<Result<PlayState, Problem>> {
    this.#cancel();
    return this.#turns.take(async () => {
      if (this.#running === null) return notPlaying("pause");
      await this.#loop;
      this.#note("pause", source, { tick: this.#running.game.tick });
      return ok(this.state());
    });
  }

  stop(source: Actor): Promise<Result<PlayState, Problem>> {
    this.#cancel();
    return this.#turns.take(async () => {
      await this.#loop;
      if (this.#running !== null) {
        this.#note("stop", source, { tick: this.#running.game.tick });
        this.#end();
        this.#core.feed.played();
      }
      return ok(this.state());
    });
  }

  async close(): Promise<void> {
    this.#cancel();
    await this.#turns.take(async () => {
      await this.#loop;
      this.#end();
    });
  }

  step(
    ticks: number,
    { signal, source, until }: Parameters<Play["step"]>[1],
  ): Promise<Result<PlayState, Problem>> {
    if (!Number.isSafeInteger(ticks) || ticks < 1 || ticks > MAX_STEPS) {
      const detail = `Cannot run ${ticks} steps: expected 1 to ${MAX_STEPS}`;
      return Promise.resolve(refuse(400, "bad-ticks", detail, "Run fewer at once"));
    }
    return this.#inTurn(signal, async (busy) => {
      let exists = false;
      const started = await this.#start("step", { signal: busy });
      if (!started.ok) return busy.aborted ? interrupted(0, ticks) : started;
      const running = started.value;
      const done = await running.steps(ticks, busy, () => {
        exists = until?.(running.game.world.entities()) ?? false;
        return exists;
      });
      const { blocked } = running.game;
      this.#note("step", source, { ticks: done });
      if (blocked !== null) return err(blocked);
      return done === ticks || exists ? ok(this.state()) : interrupted(done, ticks);
    }, () => interrupted(0, ticks));
  }

  async saveRound(path: string, source: Actor): Promise<Result<SavedRound, Problem>> {
    if (this.#running === null) return notPlaying("save a round");
    const saved = await saveRound(this.#core, this.#running, path);
    if (saved.ok) this.#note("save-round", source, { path });
    return saved;
  }

  async replay(
    path: string,
    { signal, source }: Parameters<Play["replay"]>[1],
  ): Promise<Result<SavedRound, Problem>> {
    const read = await readRound(this.#core, path);
    if (!read.ok) return read;
    const round = read.value;
    const { events, ticks, saved, viewport } = round;
    return await this.#inTurn(signal, async (busy) => {
      this.#end();
      const started = await this.#start("replay", { signal: busy, saved });
      if (!started.ok) return busy.aborted ? interrupted(0, ticks) : started;
      const running = started.value;
      this.#resize(running, viewport);
      await replay(running, round, busy);
      const { tick, blocked } = running.game;
      this.#note("replay", source, { path, ticks: tick });
      if (blocked !== null) return err(blocked);
      if (tick < ticks) return interrupted(tick, ticks);
      return ok({ path, ticks, events: events.length, ...await roundEnd(running, round) });
    }, () => interrupted(0, ticks));
  }

  setTimeScale(scale: number, source: Actor): Result<PlayState, Problem> {
    if (!(scale > 0 && scale <= MAX_TIME_SCALE)) {
      const detail =
        `Cannot set the time scale to ${scale}: expected more than 0, at most ${MAX_TIME_SCALE}`;
      return refuse(400, "bad-time-scale", detail, "pause stops; 1 is real time");
    }
    this.#timeScale = scale;
    this.#note("time-scale", source, { scale });
    this.#core.feed.played();
    return ok(this.state());
  }

  round(): Result<LiveRound, Problem> {
    if (this.#running === null) return notPlaying("follow the round");
    const { game: { round, tick }, recorder } = this.#running;
    const { document, scan } = this.#core;
    const { scene: scenePath, viewport, saved } = recorder.start;
    const events = recorder.upTo(tick)?.events;
    return ok({
      round,
      scenePath,
      entities: document.entities(), // immutable while a game plays
      nextId: document.nextId,
      viewport,
      saved,
      events: events ?? [],
      tick,
      offRecord: events === undefined || this.#scan === null || !isSameScan(this.#scan, scan),
    });
  }

  /** @param seen The scene as the reader sees it. */
  actions(seen: SeenScene = this.#core): readonly ActionInfo[] {
    return actionsIn(seen.world.entities());
  }

  dispatch(
    { action, target, value, source }: Parameters<Play["dispatch"]>[0],
  ): Promise<Result<{ readonly targets: readonly number[] }, Problem>> {
    const game = this.#running?.game;
    if (game === undefined) return Promise.resolve(notPlaying("dispatch an action"));
    const known = this.actions().map(({ name }) => name);
    if (!known.includes(action)) return Promise.resolve(noSuchAction(action, known));
    const targets = listeners(game.world, action).map(({ id }) => id);
    if (target !== undefined && !targets.includes(target)) {
      return Promise.resolve(refuse(
        422,
        "does-not-answer",
        `Entity ${target} does not answer to "${action}"`,
        targets.length > 0 ? `These do: ${targets.slice(0, 10).join(", ")}` : "No entity does",
      ));
    }
    this.#running?.input.take({
      kind: "action",
      action,
      ...(target !== undefined && { target }),
      ...(value !== undefined && { value }),
    });
    this.#note("dispatch", source, { action });
    return Promise.resolve(ok({ targets: target === undefined ? targets : [target] }));
  }

  input(event: InputEvent, source: Actor): Promise<Result<InputOutcome, Problem>> {
    if (this.#running === null) return Promise.resolve(notPlaying("send input"));
    this.#resize(this.#running, this.#core.viewport);
    const outcome = this.#running.input.take(event);
    this.#note("input", source, { ...event });
    return Promise.resolve(ok(outcome));
  }

  playClip(
    { entity: id, clip, source }: Parameters<Play["playClip"]>[0],
  ): Promise<Result<{ readonly clips: readonly string[] }, Problem>> {
    const running = this.#running;
    if (running === null) return Promise.resolve(notPlaying("play a clip"));
    const { game } = running;
    const entity = game.world.get(id);
    const clips = entity === undefined ? [] : [...clipsOf(game.assets, entity).keys()];
    if (entity === undefined || entity.traits["Animator"] === undefined) {
      const detail = `Entity ${id} has no Animator to play a clip with`;
      const ids = game.world.withTrait("Animator").slice(0, 10).map((one) => one.id);
      const hint = ids.length > 0 ? `These have one: ${ids.join(", ")}` : "Add one while stopped";
      return Promise.resolve(refuse(422, "no-animator", detail, hint));
    }
    const named = this.#core.scan.assets.find((asset) => asset.path === clip)?.guid ?? clip;
    const guid = clipsOf(game.assets, entity).get(named) ?? named;
    if (!game.assets.clips.has(guid)) {
      const near = nearestNames(clip, clips);
      return Promise.resolve(refuse(
        404,
        "no-such-clip",
        `"${entity.name}" has no clip ${JSON.stringify(clip.slice(0, 80))}`,
        `It has ${clips.join(", ") || "none by name"}${
          near.length > 0 ? `; did you mean ${near[0]}?` : ""
        }; the path of an animation works as well`,
      ));
    }
    running.input.take({ kind: "clip", target: id, clip: guid });
    this.#note("play-clip", source, { id, clip });
    return Promise.resolve(ok({ clips }));
  }

  /** @param seen The scene as the reader sees it. */
  handles(seen: SeenScene = this.#core): Promise<readonly Handle[]> {
    return this.#handles.all(this.#running?.game ?? null, seen);
  }

  dragHandle(request: Parameters<Play["dragHandle"]>[0]): ReturnType<Play["dragHandle"]> {
    return this.#handles.drag(this.#running, request);
  }

  #resize({ input }: RunningGame, { width, height }: Viewport): void {
    if (input.viewport.width === width && input.viewport.height === height) return;
    input.take({ kind: "resize", width, height });
  }

  /** Stops the run loop, and cancels queued steps, as soon as possible. */
  #cancel(): void {
    this.#busy?.abort();
    for (const step of this.#asked) step.abort();
  }

  /**
   * Queues to make steps; pauses a game that runs against the clock.
   *
   * @param make Called with a signal that aborts when somebody plays, pauses or stops.
   * @param interrupted Returned if that happened before it started.
   */
  #inTurn<T>(
    signal: AbortSignal | undefined,
    make: (busy: AbortSignal) => Promise<T>,
    interrupted: () => T,
  ): Promise<T> {
    if (!this.#stepping) this.#busy?.abort();
    const busy = new AbortController();
    this.#asked.add(busy);
    return this.#turns.take(async () => {
      await this.#loop;
      this.#asked.delete(busy);
      if (busy.signal.aborted) return interrupted();
      this.#busy = busy;
      this.#stepping = true;
      const cancel = () => busy.abort();
      signal?.addEventListener("abort", cancel, { once: true });
      if (signal?.aborted === true) busy.abort();
      try {
        return await make(busy.signal);
      } finally {
        signal?.removeEventListener("abort", cancel);
        this.#busy = null;
        this.#stepping = false;
        this.#core.feed.played();
      }
    });
  }

  /**
   * Returns the running game, or starts one; while it runs, the scene is neither edited nor
   * reloaded.
   */
  async #start(
    name: string,
    { signal, saved = {} }: {
      readonly signal?: AbortSignal;
      readonly saved?: Readonly<Record<string, number>>;
    } = {},
  ): Promise<Result<RunningGame, Problem>> {
    if (this.#running !== null) return ok(this.#running);
    const start = async () => {
      // Every game starts with the same saved values, so that equal games are equal; a replay
      // starts with those of its round.
      this.#core.saved.clear();
      for (const [name, value] of Object.entries(saved)) this.#core.saved.set(name, value);
      this.#scan = this.#core.scan;
      this.#running = await RunningGame.start(this.#core, projectContent(this.#core), {
        afterStep: this.#parts.afterStep,
        taken: (one) => this.#core.feed.inputTaken(this.#core.round, one),
      });
      return ok(this.#running);
    };
    return await this.#core.lock.hold(name, () => this.#core.changes.take(start), signal);
  }

  #end(): void {
    this.#running?.end();
    this.#running = null;
  }

  #note(type: string, source: Actor, payload: JsonValue): void {
    this.#core.journals.noteEditor(type, source, payload);
  }
}
