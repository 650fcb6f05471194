import type { JsonValue } from "../../core/json.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EntityDocument } from "../scene/document.ts";
import type { World } from "../scene/world.ts";
import type { SavedValues } from "./saved-values.ts";
import type { Viewport } from "../types/mod.ts";

/** Time of an event in a game. */
interface Moment {
  readonly round: number;
  readonly tick: number;
}

/** Host of a game: an editor, or the page of a built game. */
export interface GameHost {
  readonly clock: Clock;
  /** The scene that games begin in. */
  readonly document: EntityDocument;
  /** Its file, relative to the project. */
  readonly scenePath: string;
  /** Size of the viewport at the start of a game, to whose pixels pointers refer. */
  readonly viewport: Viewport;
  readonly journals: {
    noteGame(at: Moment, type: string, payload: JsonValue): void;
    noteTimeline(at: Moment, type: string, payload: JsonValue): void;
  };
  /** Values that outlive the game. */
  readonly saved: SavedValues;
  readonly console: { write(level: "warn" | "error", text: string): void };
  /** Number of started games, and so of the current one. */
  round: number;
  /** The revision that the next playing world begins with. */
  nextPlayRev: number;
  /** The running world, or `null`. */
  playing: World | null;
  /** The scene to which the game has changed; `null` in the one where it started. */
  playingScene: string | null;
}
