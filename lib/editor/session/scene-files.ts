import { runCooperatively } from "../../core/cooperative.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { sha256Hex } from "../../core/sha256.ts";
import { ASSET_FOLDER, SCENE_FOLDER } from "../assets/assets.ts";
import { attempt } from "../../core/attempt.ts";
import type { EditorCore } from "./editor-core.ts";
import { MAX_SCENE_BYTES, type Scene, sceneParsing, sceneWriting } from "../../game/scene/mod.ts";
import { checkNewProjectPath } from "../files/project-path.ts";
import { resolvedIn, unwritable, writeProjectFile } from "../files/project-files.ts";
import { type FileMark, readSceneBytes, readSceneFile } from "../scene/scene-source.ts";

/** Ending of a scene's file. */
export const SCENE_ENDING = ".scene.json";

/** The name of a new scene: its file's. */
export function sceneNameOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.endsWith(SCENE_ENDING) ? name.slice(0, -SCENE_ENDING.length) : name;
}

/** Reads another scene of the project, with a mark to detect later changes of its file. */
export async function readSceneAt(
  core: EditorCore,
  scenePath: string,
): Promise<Result<{ readonly scene: Scene; readonly mark: FileMark }, Problem>> {
  const { files, root, traits, maxEntities, parsing, scan: { assets } } = core;
  return await readSceneFile({ files, root, traits, maxEntities, parsing, scenePath, assets });
}

/**
 * Returns the errors that keep a scene file from opening. @returns Empty if there are none, or why
 * the file could not be read.
 */
export async function errorsIn(
  core: EditorCore,
  scenePath: string,
): Promise<Result<readonly string[], Problem>> {
  const { files, root, scan } = core;
  const read = await readSceneBytes({ files, root, scenePath, assets: scan.assets });
  if (!read.ok) return read;
  const work = sceneParsing(scenePath, read.value.bytes, core);
  const scene = await runCooperatively(work, { now: () => core.clock.monotonic() });
  return ok(scene.ok ? [] : scene.error.errors);
}

/** Checks the path of a new scene: below `scenes/` or `assets/`, where scenes are found. */
export function checkScenePath(path: string): Result<string, Problem> {
  const hint = `Give a path like scenes/main${SCENE_ENDING}`;
  const checked = checkNewProjectPath(path, { code: "scene-path", hint });
  if (!checked.ok) return checked;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isListed = [ASSET_FOLDER, SCENE_FOLDER].some((folder) => path.startsWith(`${folder}/`));
  if (isListed && path.endsWith(SCENE_ENDING) && name !== SCENE_ENDING) return checked;
  return refuse(
    422,
    "scene-path",
    `Cannot use "${
      path.slice(0, 120)
    }" for a scene: expected a *${SCENE_ENDING} below scenes/ or ` +
      "assets/",
    hint,
  );
}

/** The state of a file of the project. */
export type SceneFileState =
  | { readonly state: "missing" }
  | { readonly state: "same" | "changed"; readonly mark: FileMark };

/**
 * Compares a scene's file with its known state. Reads its bytes only if its time or size differs,
 * or if `thorough`.
 *
 * @returns 403 `outside-project` if a link leads out of the project, 422 `unwritable`.
 */
export async function fileStateOf(
  core: EditorCore,
  path: string,
  { mark, thorough }: { readonly mark: FileMark | null; readonly thorough: boolean },
): Promise<Result<SceneFileState, Problem>> {
  const { files, root } = core;
  const located = await resolvedIn(files, root, path);
  if (!located.ok) return located;
  const location = located.value;
  const looked = await attempt(async (): Promise<SceneFileState> => {
    const stat = await files.stat(location);
    if (stat === null) return { state: "missing" };
    const { mtimeMs } = stat;
    if (!thorough && mark?.mtimeMs === mtimeMs && mark.size === stat.size) {
      return { state: "same", mark };
    }
    const bytes = await files.read(location, MAX_SCENE_BYTES);
    if (bytes === null) return { state: "missing" };
    const hash = await sha256Hex(bytes);
    const state = mark?.hash === hash ? "same" : "changed";
    return { state, mark: { hash, size: bytes.length, mtimeMs } };
  });
  return looked.ok ? looked : err(unwritable(path, looked.error.message));
}

/** Writes the entities of the open scene to a path, atomically. */
export async function writeScene(
  core: EditorCore,
  path: string,
  name: string,
): Promise<Result<FileMark, Problem>> {
  const { clock, files, root, document, traits } = core;
  const writing = sceneWriting(name, document.entities(), traits);
  const bytes = await runCooperatively(writing, { now: () => clock.monotonic() });
  return await writeProjectFile(files, { root, path }, async (location): Promise<FileMark> => {
    await files.writeAtomic(location, bytes);
    const stat = await files.stat(location);
    return {
      hash: await sha256Hex(bytes),
      size: bytes.length,
      mtimeMs: stat?.mtimeMs ?? 0,
    };
  });
}
