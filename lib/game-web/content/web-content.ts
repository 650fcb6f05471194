import type { JsonObject } from "../../core/json.ts";
import type { Result } from "../../core/result.ts";
import type { GameAsset } from "../../game/assets/mod.ts";
import type { Asset } from "../../game/types/mod.ts";
import type { GameContent } from "../../game/world/mod.ts";
import type { PictureMemory } from "./picture-memory.ts";

/** What a built game is made of: its files lie below the folder of its page. */
export interface WebContent extends GameContent {
  readonly assets: readonly GameAsset[];
  /** The memory that all its decoded pictures share. */
  readonly pictures: PictureMemory;
  /** An asset by its guid; `undefined` for none. */
  asset(guid: string): Asset | undefined;
  /**
   * Where that is fetched from which an asset's file names: the only way from a name in a file to an
   * address. @returns Why it is not loaded, as the rest of a sentence.
   */
  addressOf(name: string, from: Asset): Result<string, string>;
  /** What else its sidecar says (`filter`, `rect`, …); empty for most. */
  settingsOf(guid: string): JsonObject;
}
