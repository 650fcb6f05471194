import type { Projection } from "../../game/layout/mod.ts";
import type { ScreenLayout } from "../../game/types/mod.ts";
import type { Game } from "../../game/world/mod.ts";

/** The screen that a game is shown on. */
export interface GameScreen {
  /** CSS pixels: what the layout and the input count in. */
  readonly width: number;
  /** CSS pixels. */
  readonly height: number;
  /** Pixels of the picture for one of CSS; falls before the frame rate does. */
  readonly pixelRatio: number;
}

/** What is seen of a game; without assets of a scene that only stands, which spawns nothing. */
export interface SeenGame extends Pick<Game, "world" | "tick"> {
  /**
   * The same of several moments that show one game, though each in a world of its own: what is only seen
   * goes on from one to the next.
   */
  readonly sequence?: string;
  readonly assets?: Pick<Game["assets"], "prefabs">;
}

/** A moment as it is seen: of a playing game, or of a scene that only stands. */
export interface SeenMoment {
  /** Another object once the game has gone on to another scene. */
  readonly game: SeenGame;
  /** Of the 2D and UI layers, at the size of the screen; the same object while nothing has changed. */
  readonly layout: ScreenLayout;
  readonly screen: GameScreen;
  /** What the 3D layer is seen through; the scene's own camera when absent. */
  readonly eye?: Projection;
  /** Seconds since the moment before: for what is only seen, never for the world. */
  readonly elapsed: number;
  /** The buttons that pointers hold down. */
  readonly pressed: readonly number[];
}

/** A moment of a playing game, as its views show it. */
export interface Moment extends SeenMoment {
  /** Another object once the game has gone on to another scene. */
  readonly game: Game;
  /** Whether no steps are made: nothing sounds then. */
  readonly paused: boolean;
}

/** Shows a playing game, or lets it be heard; changes nothing of it. */
export interface View {
  show(moment: Moment): void;
  /** Gives back what is not collected by itself. */
  dispose(): void;
}
