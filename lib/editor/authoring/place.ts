import { foldAscii } from "../../core/paths.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { ASSET_FOLDER, SCENE_FOLDER, SIDECAR } from "../assets/assets.ts";
import type { Asset } from "../ports/mod.ts";
import { checkNewProjectPath } from "../files/project-path.ts";

/**
 * Checks the spelling of a path for an asset: below `assets/`, a scene also below `scenes/`, and found
 * by the next listing.
 */
export function checkAssetPath(path: string): Result<string, Problem> {
  const bad = (found: string): Result<never, Problem> =>
    refuse(
      422,
      "asset-path",
      `Cannot use ${JSON.stringify(path.slice(0, 120))} as the path of an asset: ${found}`,
      "Give a path like assets/materials/wood.material.json",
    );
  const checked = checkNewProjectPath(path, {
    code: "asset-path",
    hint: "Give a path like assets/materials/wood.material.json",
  });
  if (!checked.ok) return checked;
  const segments = path.split("/");
  const [top] = segments;
  const isScene = top === SCENE_FOLDER && path.endsWith(".scene.json");
  if ((top !== ASSET_FOLDER && !isScene) || segments.length < 2) {
    return bad(`it does not lie in ${ASSET_FOLDER}/`);
  }
  if (path.endsWith(SIDECAR)) return bad(`files that end in ${SIDECAR} say what an asset is`);
  return checked;
}

/** Refuses a path that an asset has, ignoring the case of ASCII letters. */
export function checkFree(path: string, assets: readonly Asset[]): Result<string, Problem> {
  const folded = foldAscii(path);
  const other = assets.find((asset) => foldAscii(asset.path) === folded);
  return other === undefined ? ok(path) : exists(other.path);
}

/** The refusal to write over a file. */
export function exists(path: string): Result<never, Problem> {
  return refuse(
    409,
    "exists",
    `There is something at ${JSON.stringify(path)} already`,
    "Choose another path, or write_asset to change it",
  );
}
