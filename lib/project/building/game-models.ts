import { runCooperatively } from "../../core/cooperative.ts";
import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { sizeText } from "../../core/sizes.ts";
import type { ReachedAssets } from "../../editor/assets/mod.ts";
import { readProjectFile } from "../../editor/files/mod.ts";
import { meshesAlone, MODEL_LIMITS } from "../../editor/gltf/mod.ts";
import type { GameAsset } from "../../game/assets/mod.ts";
import type { Files } from "../../ports/files.ts";

/** The place of the models, and the log of their conversion. */
export interface GameModelSource {
  readonly files: Files;
  /** The project's folder, absolute. */
  readonly root: string;
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Assets of a game, and the bytes of those that are not as in the project. */
export interface GameModels {
  readonly assets: readonly GameAsset[];
  /** By path. */
  readonly made: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

/**
 * Leaves out of imported models what their import has made assets of: pictures, materials, animations.
 * A model that something draws as a whole stays as it is. Nothing of what is drawn changes.
 *
 * @returns What reading a file of the project refuses.
 */
export async function gameModels(
  { files, root, log, signal }: GameModelSource,
  { assets, drawnMeshes }: Pick<ReachedAssets, "assets" | "drawnMeshes">,
): Promise<Result<GameModels, Problem>> {
  const made = new Map<string, Uint8Array<ArrayBuffer>>();
  let saved = 0;
  for (const { guid, path, size } of assets) {
    const meshes = drawnMeshes.get(guid);
    if (meshes === undefined || signal?.aborted === true) continue;
    const read = await readProjectFile(files, root, {
      path,
      maxBytes: MODEL_LIMITS.modelBytes,
      signal,
    });
    if (!read.ok) return read;
    const smaller = read.value === null
      ? null
      : await runCooperatively(meshesAlone(read.value, meshes), {
        now: () => performance.now(),
      });
    if (smaller === null) continue;
    made.set(path, smaller);
    saved += size - smaller.length;
  }
  if (made.size > 0) {
    log(
      `models: ${made.size} without the pictures and animations that are assets beside them, ` +
        `${sizeText(saved)} less`,
    );
  }
  const sized = (asset: GameAsset) => {
    const bytes = made.get(asset.path);
    return bytes === undefined ? asset : { ...asset, size: bytes.length };
  };
  return ok({ assets: assets.map(sized), made });
}
