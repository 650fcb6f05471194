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
  /** Values that outlive the game. */
  readonly saved: SavedValues;
  /** The step that runs, from 1. */
  readonly tick: number;
  /** Steps that the world of this scene has made, from 1; does not count while paused. */
  readonly age: number;
  /** Whether the world is paused (`GameSettings.paused`). */
  readonly isPaused: boolean;
  /** Notes an event in the game's journal. */
  event(type: string, payload: JsonValue): void;
  /** Notes an event in the journal of timelines. */
  timelineEvent(type: string, payload: JsonValue): void;
  /** Warns on the console, once for each text. */
  warn(text: string): void;
  /** Dispatches an action in the next step. */
  dispatch(action: string, value?: JsonValue): void;
  /** Adds a prefab to the world. @returns Its root; `null` if the prefab is missing. */
  spawn(prefab: string, at: Vec3): LiveEntity | null;
  /** Takes an entity with all below it out of the world. */
  destroy(id: number): void;
  /** Starts a clip of an Animator, by its name in the set or its guid. @returns Whether it has it. */
  playClip(entity: LiveEntity, clip: string): boolean;
  /** Plays the sound of an AudioSource from its beginning. @returns Whether it has one. */
  playSound(entity: LiveEntity): boolean;
  /** Silences an AudioSource. @returns Whether the entity has one. */
  stopSound(entity: LiveEntity): boolean;
  /** Changes to another scene after this step; `""` restarts this one. */
  openScene(path: string): void;
}

/** A part of a step. Systems run in a fixed order and keep their own state. */
export interface System {
  step(game: GameContext): void;
}
