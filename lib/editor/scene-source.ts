import type { FileError } from "../core/file-error.ts";
import { nearestNames } from "../core/nearest.ts";
import { checkPath } from "../core/paths.ts";
import { type Problem, problem, refuse } from "../core/problem.ts";
import { err, type Result } from "../core/result.ts";
import type { Files } from "../ports/files.ts";
import { attempt } from "./attempt.ts";
import type { Asset } from "./ports.ts";
import type { TraitRegistry } from "./registry.ts";
import { MAX_SCENE_BYTES, parseScene, type Scene, type SceneFailure } from "./scene-file.ts";
import { isInside } from "./tree.ts";

/** Where a scene is, and what it is read with. */
export interface SceneSource {
  /** The file system that the project lies on. */
  readonly files: Files;
  /** The project's folder. */
  readonly root: string;
  /** Relative to the project. */
  readonly scenePath: string;
  /** The traits that its entities may carry. */
  readonly traits: TraitRegistry;
  /** The project's assets: for naming the scenes that are there instead. */
  readonly assets: readonly Asset[];
}

/**
 * Reads a scene from a project.
 *
 * @returns The whole scene, or 404 `scene-missing`, 413 `scene-too-large`, 422 `scene-path`,
 * `scene-unreadable` or `scene-invalid`, 403 `outside-project`.
 */
export async function readScene(source: SceneSource): Promise<Result<Scene, Problem>> {
  const { files, root, scenePath } = source;
  const checked = checkPath(scenePath);
  if (!checked.ok) {
    return refuse(
      422,
      "scene-path",
      `Cannot open scene: ${checked.error.message}`,
      "Give a path relative to the project, like assets/scenes/main.scene.json",
    );
  }
  const read = await attempt(() => readInside(files, root, scenePath));
  if (!read.ok) return unreadableScene(scenePath, read.error);
  if (read.value === "outside") {
    return refuse(
      403,
      "outside-project",
      `Cannot open scene "${scenePath}": it links out of the project`,
      "Copy the scene into the project",
    );
  }
  if (read.value === null) return missingScene(scenePath, source.assets);
  const scene = parseScene(scenePath, read.value, source.traits);
  return scene.ok ? scene : err(sceneProblem(scene.error));
}

/** A file of the project, `null` when it is not there; links out of the project are not followed. */
async function readInside(
  files: Files,
  root: string,
  path: string,
): Promise<Uint8Array | "outside" | null> {
  const realRoot = await files.realPath(root);
  const location = await files.realPath(`${root}/${path}`);
  if (realRoot === null || location === null) return null;
  return isInside(realRoot, location) ? await files.read(location, MAX_SCENE_BYTES) : "outside";
}

function unreadableScene(scenePath: string, { code, message }: FileError): Result<never, Problem> {
  if (code === "too-large") {
    return refuse(
      413,
      "scene-too-large",
      `Cannot load scene "${scenePath}": expected at most ${MAX_SCENE_BYTES} bytes, found more`,
      "Split the scene",
    );
  }
  return refuse(
    422,
    "scene-unreadable",
    `Cannot read scene "${scenePath}": ${message}`,
    "Check that it is a file that may be read",
  );
}

function missingScene(scenePath: string, assets: readonly Asset[]): Result<never, Problem> {
  const scenes = assets.filter(({ type }) => type === "scene").map(({ path }) => path);
  const near = nearestNames(scenePath, scenes);
  const listed = near.length > 0 ? near : scenes.slice(0, 5);
  return refuse(
    404,
    "scene-missing",
    `Cannot open scene "${scenePath}": found no such file in the project`,
    listed.length > 0
      ? `The project has ${listed.map((path) => `"${path}"`).join(", ")}`
      : "The project has no *.scene.json below assets/: add one",
  );
}

function sceneProblem({ code, message, next }: SceneFailure): Problem {
  const hint = next ?? "Correct the scene file and load it again";
  return code === "too-large"
    ? problem(413, "scene-too-large", message, hint)
    : problem(422, "scene-invalid", message, hint);
}
