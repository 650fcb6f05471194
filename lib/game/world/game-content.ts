import type { Problem } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import type { AssetDetails } from "../assets/details.ts";
import type { EntityRules, Scene } from "../scene/scene-file.ts";
import type { Asset } from "../types/mod.ts";

/** The content of games, from a project's folder or next to a built game. */
export interface GameContent extends EntityRules {
  /** The most entities of a scene, of a prefab and of a playing world. */
  readonly maxEntities: number;
  readonly assets: readonly Asset[];
  readonly details: AssetDetails;
  /** Reads the bytes of an asset; `null` if unreadable or larger than `maxBytes`. */
  readAsset(asset: Asset, maxBytes: number): Promise<Uint8Array | null>;
  /** Returns the seconds of a sound; `null` if its file does not state them. */
  soundLength(asset: Asset): Promise<number | null>;
  /** A scene by its path. */
  readScene(path: string): Promise<Result<Scene, Problem>>;
}
