import type { JsonValue } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import type { LiveRound } from "../../game/play/mod.ts";
import type {
  ActionInfo,
  Entity,
  InputEvent,
  InputOutcome,
  TraitFields,
} from "../../game/types/mod.ts";
import type { Actor, Authored } from "./editing.ts";

export type { LiveRound };

// Playing the open scene: fixed steps of 1/60 s, the same from the same start and the same input.
// While a game plays or is paused, the producers of the editor (scene state, layout, …) show the
// playing world; stopping restores the edited one exactly.

/** State of the game. */
export interface PlayState {
  /** Whether a game runs. */
  readonly state: "stopped" | "playing" | "paused";
  /** Steps since the start; 0 when stopped. */
  readonly tick: number;
  /** Seconds of game time. */
  readonly time: number;
  /** Speed relative to real time; 1 is real time. */
  readonly timeScale: number;
  /** Steps per second of real time over the last second; 0 without steps. */
  readonly rate: number;
  /** Number of the game since the editor was opened, from 1; absent when stopped. */
  readonly round?: number;
  /** The scene to which the game has changed, relative to the project; absent in the open one. */
  readonly scene?: string;
}

/** A round that was written into the project. */
export interface SavedRound {
  /** Its file, relative to the project. */
  readonly path: string;
  /** Its steps. */
  readonly ticks: number;
  /** Number of input events. */
  readonly events: number;
  /** Hash of the final world: 64 hexadecimal digits. */
  readonly hash: string;
  /** For a replay, whether the hash equals the saved one; absent if the file has none. */
  readonly same?: boolean;
}

/** Something that can be tapped or dragged. */
export interface Handle {
  /** Stable while the thing is there. */
  readonly id: string;
  /** The editor that shows it: `game`, `scene`, `timeline`. */
  readonly editor: string;
  /**
   * In a game, `button` and `stick`. In a scene, for the selection: `move-x`, `rotate-y`, `scale-z`
   * and so on in 3D; `move`, `resize-nw`, `resize-n` and so on in 2D and UI; `rotate` for a sprite.
   * In a timeline, `playhead`, and `start` and `end` of its items.
   */
  readonly kind: string;
  /** Viewport pixels of its middle. */
  readonly x: number;
  /** Viewport pixels of its middle, from the top. */
  readonly y: number;
  /** Its text, for people. */
  readonly label?: string;
  /** The entity that it belongs to. */
  readonly entity?: number;
  /** Whether its centre is in the viewport. */
  readonly onScreen: boolean;
  /** The entity over it. */
  readonly occludedBy?: number;
}

/** Playing the open scene. */
export interface Play {
  /** Returns the state of the game. */
  state(): PlayState;
  /** Starts or resumes. 409 `editor-busy` while somebody else changes the project. */
  play(source: Actor): Promise<Result<PlayState, Problem>>;
  /** Pauses the game. 409 `not-playing` when stopped. */
  pause(source: Actor): Promise<Result<PlayState, Problem>>;
  /** Back to the edited scene. */
  stop(source: Actor): Promise<Result<PlayState, Problem>>;
  /**
   * Runs `ticks` steps without waiting for the clock, at most 36,000, and stays paused. Starts the
   * game when stopped. 409 `interrupted` when somebody plays, pauses or stops in between.
   *
   * @param options.until Evaluated after every step; the run stops at the first step for which it
   * is true.
   */
  step(
    ticks: number,
    options: {
      readonly signal?: AbortSignal;
      readonly source: Actor;
      readonly until?: (entities: readonly Entity[]) => boolean;
    },
  ): Promise<Result<PlayState, Problem>>;
  /**
   * Writes the round from its first step until now as `*.round.json` into the project. 409
   * `not-playing`, 422 `bad-path` or `not-recorded`.
   */
  saveRound(path: string, source: Actor): Promise<Result<SavedRound, Problem>>;
  /**
   * Plays a recorded file in place of any game, from beginning to end, and stays paused there. 404
   * `no-such-round`, 409 `other-scene` or `interrupted`, 422 if the file is not a recorded round.
   */
  replay(
    path: string,
    options: { readonly signal?: AbortSignal; readonly source: Actor },
  ): Promise<Result<SavedRound, Problem>>;
  /** Makes the game faster or slower. 400 `bad-time-scale` for 0 and less, and for too much. */
  setTimeScale(scale: number, source: Actor): Result<PlayState, Problem>;
  /**
   * Returns the game so far, for playing the same one concurrently; `changes` reports its further
   * input. 409 `not-playing` when stopped. Absent if games are not reproducible.
   */
  round?(): Result<LiveRound, Problem>;
  /** Returns the actions of the game. */
  actions(): readonly ActionInfo[];
  /** Dispatches an action of the game. 409 `not-playing` when stopped, 404 `no-such-action`. */
  dispatch(request: {
    readonly action: string;
    readonly target?: number;
    readonly value?: number | string;
    readonly source: Actor;
  }): Promise<Result<{ readonly targets: readonly number[] }, Problem>>;
  /** Sends input. 409 `not-playing` when stopped. */
  input(event: InputEvent, source: Actor): Promise<Result<InputOutcome, Problem>>;
  /** Plays a clip of an entity's animator. 409 `not-playing`, 422 `no-animator`, 404 `no-such-clip`. */
  playClip(
    request: { readonly entity: number; readonly clip: string; readonly source: Actor },
  ): Promise<Result<{ readonly clips: readonly string[] }, Problem>>;
  /** Returns everything that can be tapped or dragged now, in drawing order. */
  handles(): Promise<readonly Handle[]>;
  /**
   * Drags a handle of the scene editor by that many pixels: an edit, one undo step. 404
   * `no-such-handle`, 409 `playing`, 422 `bad-drag` or `axis-hidden`.
   */
  dragHandle(
    request: {
      readonly id: string;
      readonly dx: number;
      readonly dy: number;
      readonly source: Actor;
    },
  ): Promise<Result<{ readonly entity: number; readonly rev: number }, Problem>>;
}

/** A moment of an animation or a timeline, while no game runs. */
export interface Pose {
  /** The entity that would play it. */
  readonly entity: number;
  /** The animation or timeline, relative to the project. */
  readonly path: string;
  /** Seconds, from 0 to `length`. */
  readonly time: number;
  /** Seconds. */
  readonly length: number;
  /** Values by entity that differ from those of the scene. */
  readonly values: readonly {
    readonly id: number;
    readonly traits: Readonly<Record<string, TraitFields>>;
  }[];
  /** Targets that are not below the entity. */
  readonly lost: readonly string[];
}

/** Looking at moments of animations and timelines in the edited scene, which stays as it is. */
export interface Poses {
  /**
   * Returns the scene's appearance at a time: animations and visibility, no signals, no sounds. 409
   * `playing` while a game runs, 404 `no-such-entity` or `no-such-asset`, 422 `no-clip` or
   * `wrong-asset-type`.
   *
   * @param request.clip The clip of the entity's Timeline or Animator when absent.
   * @param request.time Seconds; clamped to the end.
   */
  at(
    request: { readonly entity: number; readonly clip?: string; readonly time: number },
  ): Promise<Result<Pose, Problem>>;
}

/** Something that happened in the game. */
export interface GameEvent {
  /** Never reused. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly t: number;
  /** The game that it happened in, as {@linkcode PlayState} counts them. */
  readonly round?: number;
  /** The step that it happened in. */
  readonly tick: number;
  /** `@contact`, `@sensor`, `@action`, `score`, … */
  readonly type: string;
  /** A contact's holds two guids, `a` and `b`. */
  readonly payload: JsonValue;
}

/** Something that happened in the editor. */
export interface EditorEvent extends Authored {
  /** Never reused. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly t: number;
  /** `edit`, `undo`, `select`, `play`, `save`, `scene-open`, … */
  readonly type: string;
  /** Its details. */
  readonly payload: JsonValue;
}

/** Something that a timeline did. */
export interface TimelineEvent {
  /** Never reused. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly t: number;
  /** The game that it happened in, as {@linkcode PlayState} counts them. */
  readonly round?: number;
  /** The step that it happened in. */
  readonly tick: number;
  /** `start`, `end`, `signal`, `activate`, … */
  readonly type: string;
  /** Its details. */
  readonly payload: JsonValue;
}

/** The journals; each returns its complete ring, oldest first. */
export interface Journals {
  /** The last 10,000 events of the game. */
  game(): readonly GameEvent[];
  /** The last 2,000 events of the editor. */
  editor(): readonly EditorEvent[];
  /** The last 2,000 events of timelines. */
  timeline(): readonly TimelineEvent[];
}

/** A number that is watched on one entity. */
export interface WatchSeries {
  /** The entity. */
  readonly guid: string;
  /** Its name. */
  readonly name: string;
  /** `<Trait>.<field>`. */
  readonly field: string;
  /** The game that it was taken in, as {@linkcode PlayState} counts them: no two of them mix. */
  readonly round?: number;
  /** Over all samples, including dropped ones. */
  readonly stats: {
    /** Samples ever taken. */
    readonly count: number;
    readonly first: number;
    readonly last: number;
    readonly min: number;
    readonly max: number;
    readonly mean: number;
    /** `last` less `first`. */
    readonly delta: number;
    /** Number of samples that differed from the previous one. */
    readonly changes: number;
  };
  /** Kept samples, oldest first. */
  readonly samples: readonly { readonly tick: number; readonly value: number }[];
}

/** A running or stopped watch. */
export interface WatchInfo {
  /** For `read` and `stop`. */
  readonly id: string;
  /** `<Trait>.<field>` of each number. */
  readonly fields: readonly string[];
  /** Whether it still takes samples. */
  readonly running: boolean;
  /** Number of series it has matched in the latest game. */
  readonly seriesTotal: number;
}

/** The fields and entities to watch. */
export interface WatchRequest {
  /** `<Trait>.<field>` of numbers. */
  readonly fields: readonly string[];
  /** All entities with the trait when absent, including later ones. */
  readonly guids?: readonly string[];
  /** Kept per series: 600 by default, at most 5,000. */
  readonly maxSamples?: number;
  /** 512 by default, at most 4,096; further entities are skipped and counted. */
  readonly maxSeries?: number;
  /** Ticks between two samples; 1 by default. */
  readonly everyTicks?: number;
}

/** Watching numbers while the game plays. */
export interface Watches {
  /**
   * Begins to watch. 404 `no-such-field` or `no-such-entity`, 400 `bad-watch`, 409 `too-many-watches` or
   * `too-many-samples`.
   */
  start(request: WatchRequest): Result<WatchInfo, Problem>;
  /** Returns all watches, oldest first. */
  list(): readonly WatchInfo[];
  /** Every series with every sample. 404 `no-such-watch`. */
  read(
    id: string,
  ): Result<
    { readonly watch: WatchInfo; readonly series: readonly WatchSeries[]; readonly left: number },
    Problem
  >;
  /** Stops it, and forgets it when `forget`. 404 `no-such-watch`. */
  stop(id: string, options: { readonly forget: boolean }): Result<WatchInfo, Problem>;
}
