import type { JsonValue } from "../../core/json.ts";
import type { Files } from "../../ports/files.ts";
import type { AssetScan } from "../assets/assets.ts";
import type { EntityRules } from "../scene/scene-file.ts";

/** When something happened in a game. */
interface Moment {
  readonly round: number;
  readonly tick: number;
}

/** The project that games are played of, and where they note what happens. */
export interface GameHost extends EntityRules {
  readonly files: Files;
  /** The project's folder. */
  readonly root: string;
  readonly scan: Pick<AssetScan, "assets" | "details">;
  /** The most entities of a playing world. */
  readonly maxEntities: number;
  /** The number of the game that begins, from 1. */
  readonly round: number;
  /** The revision that its world begins with. */
  readonly nextPlayRev: number;
  readonly journals: {
    noteGame(at: Moment, type: string, payload: JsonValue): void;
    noteTimeline(at: Moment, type: string, payload: JsonValue): void;
  };
  readonly console: { write(level: "warn", text: string): void };
}
