import type { Projection } from "../../game/layout/mod.ts";
import type { ScreenLayout } from "../../game/types/mod.ts";
import type { Game } from "../../game/world/mod.ts";

/** The screen that a game is shown on. */
export interface GameScreen {
  /** CSS pixels, the unit of layout and input. */
  readonly width: number;
  /** CSS pixels. */
  readonly height: number;
  /** Pixels of the picture for one of CSS; falls before the frame rate does. */
  readonly pixelRatio: number;
}

/** The visible part of a game; without assets for a static scene, which spawns nothing. */
export interface SeenGame extends Pick<Game, "world" | "tick"> {
  /**
   * Equal for several moments of one game in different worlds: effects that are only visible
   * continue from one to the next.
   */
  readonly sequence?: string;
  readonly assets?: Pick<Game["assets"], "prefabs">;
}

/** A visible moment of a running game, or of a static scene. */
export interface SeenMoment {
  /** A new object once the game has changed to another scene. */
  readonly game: SeenGame;
  /**
   * Of the 2D and UI layers, at the size of the screen; the same object while nothing has changed.
   */
  readonly layout: ScreenLayout;
  readonly screen: GameScreen;
  /** The camera of the 3D layer; the scene's own when absent. */
  readonly eye?: Projection;
  /** Seconds since the previous moment: for visible effects only, never for the world. */
  readonly elapsed: number;
  /** The buttons that pointers hold down. */
  readonly pressed: readonly number[];
}

/** A moment of a playing game, as its views show it. */
export interface Moment extends SeenMoment {
  /** A new object once the game has changed to another scene. */
  readonly game: Game;
  /** Whether the game is paused, which mutes its sounds. */
  readonly paused: boolean;
}

/** Shows a running game, or plays its sounds; never changes it. */
export interface GameView {
  show(moment: Moment): void;
  /** Frees memory that is not garbage-collected. */
  dispose(): void;
}
