import { attempt } from "../../core/attempt.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import { type Problem, problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import { SIDECAR } from "../assets/assets.ts";
import { locationFor, unwritable } from "../files/project-files.ts";
import { checkNewProjectPath } from "../files/project-path.ts";

const ENDING = ".prefab.json";

/** Location of the project. */
interface ProjectFolder {
  readonly files: Files;
  readonly root: string;
}

/** Checks the spelling of a path for a prefab: below `assets/`, with its ending. */
export function checkPrefabPath(path: string): Result<string, Problem> {
  const otherwise = { code: "prefab-path", hint: `Give a path like assets/prefabs/coin${ENDING}` };
  const checked = checkNewProjectPath(path, otherwise);
  if (!checked.ok || (path.startsWith("assets/") && path.endsWith(ENDING))) return checked;
  return refuse(
    422,
    otherwise.code,
    `Cannot use "${path.slice(0, 120)}" for a prefab: expected a *${ENDING} below assets/`,
    otherwise.hint,
  );
}

/** Replaces the content of a prefab; keeps its sidecar. */
export async function replacePrefab(
  { files, root }: ProjectFolder,
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Result<null, Problem>> {
  const location = await locationFor(files, root, path);
  if (!location.ok) return location;
  const written = await attempt(() => files.writeAtomic(location.value, bytes));
  return written.ok ? ok(null) : err(unwritable(path, written.error.message));
}

/** Writes the prefab and its sidecar: both, or neither. */
export async function createPrefab(
  { files, root }: ProjectFolder,
  { path, guid, bytes }: {
    readonly path: string;
    readonly guid: string;
    readonly bytes: Uint8Array<ArrayBuffer>;
  },
): Promise<Result<null, Problem>> {
  const location = await locationFor(files, root, path);
  if (!location.ok) return location;
  const at = location.value;
  const prefab = await attempt(() => files.write(at, bytes, { createNew: true }));
  if (!prefab.ok) {
    return err(
      prefab.error.code === "exists"
        ? problem(
          409,
          "exists",
          `There is a file "${path}" already`,
          "Choose another path; overwrite=1 replaces a prefab",
        )
        : unwritable(path, prefab.error.message),
    );
  }
  const meta = encodeUtf8(`${JSON.stringify({ guid }, null, 2)}\n`);
  const sidecar = await attempt(() => files.writeAtomic(`${at}${SIDECAR}`, meta));
  if (sidecar.ok) return ok(null);
  await files.remove(at);
  return err(unwritable(`${path}${SIDECAR}`, sidecar.error.message));
}
