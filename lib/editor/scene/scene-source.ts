import { runCooperatively } from "../../core/cooperative.ts";
import type { FileError } from "../../core/file-error.ts";
import { nearestNames } from "../../core/nearest.ts";
import { type Problem, problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { sha256Hex } from "../../core/sha256.ts";
import type { Files } from "../../ports/files.ts";
import { attempt } from "../../core/attempt.ts";
import type { Asset } from "../ports/mod.ts";
import { type FileBytes, readInside } from "../files/project-files.ts";
import { checkProjectPath } from "../files/project-path.ts";
import {
  type EntityRules,
  MAX_SCENE_BYTES,
  type Scene,
  type SceneFailure,
  sceneParsing,
} from "../../game/scene/mod.ts";

/** A scene's location, and the rules for reading it. */
export interface SceneSource extends EntityRules {
  /** File system of the project. */
  readonly files: Files;
  /** The project's folder. */
  readonly root: string;
  /** Relative to the project. */
  readonly scenePath: string;
  /** The project's assets: for naming the scenes that are there instead. */
  readonly assets: readonly Asset[];
}

/**
 * Identifies the content of a file at the time of a read or write; any change of the file changes
 * it.
 */
export interface FileMark {
  /** SHA-256 of its bytes. */
  readonly hash: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch, from before it was read. */
  readonly mtimeMs: number;
}

/**
 * Reads a scene of a project.
 *
 * @returns The complete scene, or 404 `scene-missing`, 413 `scene-too-large`, 422 `scene-path`,
 * `scene-unreadable` or `scene-invalid`, 403 `outside-project`.
 */
export async function readScene(source: SceneSource): Promise<Result<Scene, Problem>> {
  const read = await readSceneFile(source);
  return read.ok ? ok(read.value.scene) : read;
}

/** Reads like {@linkcode readScene}, with a mark to detect later changes of the file. */
export async function readSceneFile(
  source: SceneSource,
): Promise<Result<{ readonly scene: Scene; readonly mark: FileMark }, Problem>> {
  const read = await readSceneBytes(source);
  if (!read.ok) return read;
  const { bytes, mtimeMs } = read.value;
  const scene = await runCooperatively(sceneParsing(source.scenePath, bytes, source), {
    now: () => performance.now(),
  });
  if (!scene.ok) return err(sceneProblem(scene.error));
  const mark = { hash: await sha256Hex(bytes), size: bytes.length, mtimeMs };
  return ok({ scene: scene.value, mark });
}

/**
 * Reads the bytes of a scene file, valid or not. @returns {@linkcode readScene}'s refusals except
 * `scene-invalid`.
 */
export async function readSceneBytes(
  source: Omit<SceneSource, keyof EntityRules>,
): Promise<Result<FileBytes, Problem>> {
  const { files, root, scenePath } = source;
  const checked = checkProjectPath(scenePath, {
    code: "scene-path",
    hint: "Give a path relative to the project, like scenes/main.scene.json",
  });
  if (!checked.ok) return checked;
  const read = await attempt(() =>
    readInside(files, root, { path: scenePath, maxBytes: MAX_SCENE_BYTES })
  );
  if (!read.ok) return unreadableScene(scenePath, read.error);
  if (read.value === "outside") {
    return refuse(
      403,
      "outside-project",
      `Cannot open scene "${scenePath}": it links out of the project`,
      "Copy the scene into the project",
    );
  }
  return read.value === null ? missingScene(scenePath, source.assets) : ok(read.value);
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
      : "The project has no *.scene.json below scenes/ or assets/: add one",
  );
}

function sceneProblem({ code, message, next }: SceneFailure): Problem {
  const hint = next ?? "Correct the scene file and load it again";
  return code === "too-large"
    ? problem(413, "scene-too-large", message, hint)
    : problem(422, "scene-invalid", message, hint);
}
