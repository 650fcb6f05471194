import type { JsonObject } from "../../core/json.ts";
import type { Result } from "../../core/result.ts";
import type { GameAsset } from "../../game/assets/mod.ts";
import type { Asset } from "../../game/types/mod.ts";
import type { GameContent } from "../../game/world/mod.ts";
import type { PictureMemory } from "./picture-memory.ts";

/** The content of a built game: its files are below the folder of its page. */
export interface WebContent extends GameContent {
  readonly assets: readonly GameAsset[];
  /** The memory that all its decoded pictures share. */
  readonly pictures: PictureMemory;
  /** Returns an asset by its guid, or `undefined`. */
  asset(guid: string): Asset | undefined;
  /**
   * Returns the address of a file that an asset references: the only conversion of a name in a file
   * to an address. @returns Why it is not loaded, as the rest of a sentence.
   */
  addressOf(name: string, from: Asset): Result<string, string>;
  /** Returns the other settings of its sidecar (`filter`, `rect`, …); empty for most. */
  settingsOf(guid: string): JsonObject;
}
