import type { Problem } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import type { AssetDetails } from "../assets/details.ts";
import type { EntityRules, Scene } from "../scene/scene-file.ts";
import type { Asset } from "../types/mod.ts";

/** What games are made of, wherever it lies: in a project's folder, or beside a built game. */
export interface GameContent extends EntityRules {
  /** The most entities of a scene, of a prefab and of a playing world. */
  readonly maxEntities: number;
  readonly assets: readonly Asset[];
  readonly details: AssetDetails;
  /** The bytes of an asset; `null` where they cannot be read, or are more than that. */
  readAsset(asset: Asset, maxBytes: number): Promise<Uint8Array | null>;
  /** Seconds of a sound; `null` where its file does not tell. */
  soundLength(asset: Asset): Promise<number | null>;
  /** A scene by its path. */
  readScene(path: string): Promise<Result<Scene, Problem>>;
}
