import type { JsonObject } from "../../core/json.ts";
import type { GameAsset } from "../../game/assets/mod.ts";
import type { Asset } from "../../game/types/mod.ts";
import type { GameContent } from "../../game/world/mod.ts";

/** What a built game is made of: its files lie below the folder of its page. */
export interface WebContent extends GameContent {
  readonly assets: readonly GameAsset[];
  /** An asset by its guid; `undefined` for none. */
  asset(guid: string): Asset | undefined;
  /** Where its file is fetched from; `undefined` for an asset that the game has not. */
  urlOf(guid: string): string | undefined;
  /** What else its sidecar says (`filter`, `rect`, …); empty for most. */
  settingsOf(guid: string): JsonObject;
}
