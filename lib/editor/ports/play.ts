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

/** How the game stands. */
export interface PlayState {
  /** Whether a game runs. */
  readonly state: "stopped" | "playing" | "paused";
  /** Steps since the start; 0 when stopped. */
  readonly tick: number;
  /** Seconds of game time. */
  readonly time: number;
  /** How much faster than real time it plays; 1 is as it is. */
  readonly timeScale: number;
  /** Steps per second of real time over the last second; 0 when none. */
  readonly rate: number;
  /** Which game it is since the editor was opened, from 1; absent when stopped. */
  readonly round?: number;
  /** The scene that the game has gone on to, relative to the project; absent while it is the open one. */
  readonly scene?: string;
}

/** A round that was written into the project. */
export interface SavedRound {
  /** Its file, relative to the project. */
  readonly path: string;
  /** Its steps. */
  readonly ticks: number;
  /** How often the player did something. */
  readonly events: number;
  /** Of the world at its end: 64 hexadecimal digits. */
  readonly hash: string;
  /** Of a replay: whether that is the world that was saved; absent where the file holds no hash. */
  readonly same?: boolean;
}

/** Something that can be tapped or dragged. */
export interface Handle {
  /** Stable while the thing is there. */
  readonly id: string;
  /** Which editor shows it: `game`, `scene`, `timeline`. */
  readonly editor: string;
  /**
   * In a game `button` and `stick`. In a scene, of what is selected: `move-x`, `rotate-y`, `scale-z` and their like in
   * 3D, `move`, `resize-nw`, `resize-n` and their like in 2D and UI, and `rotate` of a sprite. In a
   * timeline `playhead`, and `start` and `end` of its items.
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
  /** Whether its middle lies in the viewport. */
  readonly onScreen: boolean;
  /** The entity over it. */
  readonly occludedBy?: number;
}

/** Playing the open scene. */
export interface Play {
  /** How the game stands now. */
  state(): PlayState;
  /** Starts, or goes on after a pause. 409 `editor-busy` where somebody else changes the project. */
  play(source: Actor): Promise<Result<PlayState, Problem>>;
  /** Holds the game where it is. 409 `not-playing` when stopped. */
  pause(source: Actor): Promise<Result<PlayState, Problem>>;
  /** Back to the edited scene. */
  stop(source: Actor): Promise<Result<PlayState, Problem>>;
  /**
   * Runs `ticks` steps at once, at most 36,000, and stays paused. Starts the game when stopped. 409
   * `interrupted` when somebody else plays, pauses or stops meanwhile.
   *
   * @param options.until Asked after every step; the first that holds is the last one made.
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
   * Plays such a file in place of any game, from its beginning to its end, and stays paused there. 404
   * `no-such-round`, 409 `other-scene` or `interrupted`, 422 for a file that is not a recorded round.
   */
  replay(
    path: string,
    options: { readonly signal?: AbortSignal; readonly source: Actor },
  ): Promise<Result<SavedRound, Problem>>;
  /** Makes the game faster or slower. 400 `bad-time-scale` for 0 and less, and for too much. */
  setTimeScale(scale: number, source: Actor): Result<PlayState, Problem>;
  /**
   * The game until now, for whoever plays the same one beside it; what it is given from now on is told
   * by `changes`. 409 `not-playing` when stopped. Absent where no two games are the same.
   */
  round?(): Result<LiveRound, Problem>;
  /** The actions that the game knows. */
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
  /** Everything that can be tapped or dragged now, in drawing order. */
  handles(): Promise<readonly Handle[]>;
  /**
   * Drags a handle of the scene editor by so many pixels: an edit, one step of undo. 404
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
  /** By entity the values that are others then than in the scene. */
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
   * What the scene looks like in a moment: animations and what is to be seen, no signals, no sounds.
   * 409 `playing` while a game runs, 404 `no-such-entity` or `no-such-asset`, 422 `no-clip` or
   * `wrong-asset-type`.
   *
   * @param request.clip What the entity's Timeline or Animator names when absent.
   * @param request.time Seconds; what is beyond the end is the end.
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

/** The journals; each gives its whole ring, oldest first. */
export interface Journals {
  /** The last 10,000 events of the game. */
  game(): readonly GameEvent[];
  /** The last 2,000 events of the editor. */
  editor(): readonly EditorEvent[];
  /** The last 2,000 events of timelines. */
  timeline(): readonly TimelineEvent[];
}

/** One number that is watched on one entity. */
export interface WatchSeries {
  /** The entity. */
  readonly guid: string;
  /** Its name. */
  readonly name: string;
  /** `<Trait>.<field>`. */
  readonly field: string;
  /** The game that it was taken in, as {@linkcode PlayState} counts them: no two of them mix. */
  readonly round?: number;
  /** Over all samples, also those no longer kept. */
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
    /** How often a sample differed from the one before. */
    readonly changes: number;
  };
  /** Those kept, oldest first. */
  readonly samples: readonly { readonly tick: number; readonly value: number }[];
}

/** A running or stopped watch. */
export interface WatchInfo {
  /** As `read` and `stop` take it. */
  readonly id: string;
  /** `<Trait>.<field>` of each number. */
  readonly fields: readonly string[];
  /** Whether it still takes samples. */
  readonly running: boolean;
  /** How many numbers on how many entities it has met in the latest game. */
  readonly seriesTotal: number;
}

/** The fields and entities to watch. */
export interface WatchRequest {
  /** `<Trait>.<field>` of numbers. */
  readonly fields: readonly string[];
  /** All entities that have the trait when absent; those that come later are included. */
  readonly guids?: readonly string[];
  /** Kept per series: 600 unless given, at most 5,000. */
  readonly maxSamples?: number;
  /** 512 unless given, at most 4,096; entities beyond are left out and counted. */
  readonly maxSeries?: number;
  /** Every so many ticks; 1 unless given. */
  readonly everyTicks?: number;
}

/** Watching numbers while the game plays. */
export interface Watches {
  /**
   * Begins to watch. 404 `no-such-field` or `no-such-entity`, 400 `bad-watch`, 409 `too-many-watches` or
   * `too-many-samples`.
   */
  start(request: WatchRequest): Result<WatchInfo, Problem>;
  /** All watches, oldest first. */
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
