import type { JsonValue } from "../../core/json.ts";
import type { Vec3 } from "../types/mod.ts";
import type { TraitRegistry } from "../traits/registry.ts";
import type { GameAssets } from "./game-assets.ts";
import type { LiveEntity, LiveWorld } from "./live-world.ts";
import type { Bodies } from "./bodies.ts";
import type { SavedValues } from "./saved-values.ts";
import type { Chance } from "./random.ts";

/** Steps a second. */
export const STEPS_PER_SECOND = 60;
/** Seconds of one step. */
export const STEP: number = 1 / STEPS_PER_SECOND;

/** The world that the systems of a game work on. */
export interface GameContext {
  readonly world: LiveWorld;
  readonly assets: GameAssets;
  readonly physics: Bodies;
  readonly chance: Chance;
  readonly traits: TraitRegistry;
  /** Numbers of the game that belong to no entity: score, coins, time, … */
  readonly values: Map<string, number>;
  /** What the game keeps from one start to the next. */
  readonly saved: SavedValues;
  /** The step that runs, from 1. */
  readonly tick: number;
  /** Steps that the world of this scene has made, from 1: none while it is paused. */
  readonly age: number;
  /** Whether the world stands (`GameSettings.paused`). */
  readonly isPaused: boolean;
  /** Notes an event in the game's journal. */
  event(type: string, payload: JsonValue): void;
  /** Notes an event in the journal of timelines. */
  timelineEvent(type: string, payload: JsonValue): void;
  /** Tells the console, once for each text. */
  warn(text: string): void;
  /** Dispatches an action in the next step. */
  dispatch(action: string, value?: JsonValue): void;
  /** Puts a prefab into the world. @returns Its root; `null` where there is no such prefab. */
  spawn(prefab: string, at: Vec3): LiveEntity | null;
  /** Takes an entity with all below it out of the world. */
  destroy(id: number): void;
  /** Starts a clip of an Animator, by its name in the set or its guid. @returns Whether it has it. */
  playClip(entity: LiveEntity, clip: string): boolean;
  /** Plays the sound of an AudioSource from its beginning. @returns Whether it has one. */
  playSound(entity: LiveEntity): boolean;
  /** Silences an AudioSource. @returns Whether the entity has one. */
  stopSound(entity: LiveEntity): boolean;
  /** Goes on with another scene after this step; with this one from its beginning for `""`. */
  openScene(path: string): void;
}

/** One part of what happens in a step. Systems run in a fixed order and keep their own state. */
export interface System {
  step(game: GameContext): void;
}
