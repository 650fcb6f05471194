import { type Problem, problem, refuse } from "../core/problem.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Files } from "../ports/files.ts";
import { attempt } from "./attempt.ts";
import { isInside } from "./tree.ts";

/**
 * Where a file of the project is to be written: links on the way are resolved, missing folders made.
 *
 * @param path Relative to the project, checked.
 * @returns 403 `outside-project` when a link leads out of it, 422 `unwritable`.
 */
export async function locationFor(
  files: Files,
  root: string,
  path: string,
): Promise<Result<string, Problem>> {
  const resolved = await resolvedIn(files, root, path);
  if (!resolved.ok) return resolved;
  const location = resolved.value;
  const folder = location.slice(0, location.lastIndexOf("/"));
  const made = await attempt(() => files.makeDirectory(folder));
  return made.ok ? ok(location) : err(unwritable(path, made.error.message));
}

/** {@linkcode locationFor} that makes nothing: for looking at what is there. */
export async function resolvedIn(
  files: Files,
  root: string,
  path: string,
): Promise<Result<string, Problem>> {
  const found = await attempt(async () => {
    const realRoot = await files.realPath(root);
    if (realRoot === null) return null;
    const segments = path.split("/");
    // The longest part of the path that is there says where the rest will be.
    for (let known = segments.length; known > 0; known--) {
      const at = await files.realPath(`${root}/${segments.slice(0, known).join("/")}`);
      if (at === null) continue;
      if (!isInside(realRoot, at)) return "outside";
      return [at, ...segments.slice(known)].join("/");
    }
    return [realRoot, ...segments].join("/");
  });
  if (!found.ok) return err(unwritable(path, found.error.message));
  if (found.value === null) return err(unwritable(path, "the project's folder is not there"));
  if (found.value === "outside") {
    return refuse(
      403,
      "outside-project",
      `Cannot write "${path}": it links out of the project`,
      "Choose another path",
    );
  }
  return ok(found.value);
}

/** Why a file could not be looked at or written. */
export function unwritable(path: string, reason: string): Problem {
  return problem(
    422,
    "unwritable",
    `Cannot use the file "${path}": ${reason}`,
    "Check the project's folder and the disk's free space, then try again",
  );
}
