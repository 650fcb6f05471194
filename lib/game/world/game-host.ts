import type { JsonValue } from "../../core/json.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EntityDocument } from "../scene/document.ts";
import type { World } from "../scene/world.ts";
import type { SavedValues } from "./saved-values.ts";
import type { Viewport } from "../types/mod.ts";

/** When something happened in a game. */
interface Moment {
  readonly round: number;
  readonly tick: number;
}

/** Where a game is played: an editor, or the page of a built one. */
export interface GameHost {
  readonly clock: Clock;
  /** The scene that games begin in. */
  readonly document: EntityDocument;
  /** Its file, relative to the project. */
  readonly scenePath: string;
  /** Pixels in which pointers count, when a game begins. */
  readonly viewport: Viewport;
  readonly journals: {
    noteGame(at: Moment, type: string, payload: JsonValue): void;
    noteTimeline(at: Moment, type: string, payload: JsonValue): void;
  };
  /** What is kept from one start of the game to the next. */
  readonly saved: SavedValues;
  readonly console: { write(level: "warn" | "error", text: string): void };
  /** Games that were begun: the number of the one that plays. */
  round: number;
  /** The revision that the next playing world begins with. */
  nextPlayRev: number;
  /** The world that plays; `null` when none does. */
  playing: World | null;
  /** The scene that the game has gone on to; `null` in the one that it began in. */
  playingScene: string | null;
}
