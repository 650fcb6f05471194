import { checkNewPath, type NewPathFailureCode } from "../../core/new-paths.ts";
import { checkPath } from "../../core/paths.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import type { Failure, Result } from "../../core/result.ts";
import { PASSED_OVER } from "./tree.ts";

/** Failures of paths that lead out of the project, whether or not they exist (TOOL-11). */
const LEADS_OUT: readonly NewPathFailureCode[] = ["absolute", "drive-letter", "dot-segment"];

/** Code and hint for a spelling that stays inside and is wrong all the same. */
export interface WrongPath {
  readonly code: string;
  readonly hint: string;
}

/**
 * Checks the spelling of a path relative to the project.
 *
 * @returns The path itself, or 403 `outside-project`, or 422 with that code.
 */
export function checkProjectPath(path: string, otherwise: WrongPath): Result<string, Problem> {
  return asProblem(checkPath(path), otherwise);
}

/**
 * Checks the path of a new file: `checkNewPath` accepts it, and a listing of the project reaches
 * it.
 */
export function checkNewProjectPath(path: string, otherwise: WrongPath): Result<string, Problem> {
  const checked = asProblem(checkNewPath(path), otherwise);
  const unlisted = path.split("/").find((segment) => PASSED_OVER.includes(segment));
  return !checked.ok || unlisted === undefined ? checked : refuse(
    422,
    otherwise.code,
    `Cannot use path ${JSON.stringify(path.slice(0, 120))}: nothing below ${unlisted}/ is listed`,
    otherwise.hint,
  );
}

function asProblem(
  checked: Result<string, Failure<NewPathFailureCode>>,
  otherwise: WrongPath,
): Result<string, Problem> {
  if (checked.ok) return checked;
  const { code, message } = checked.error;
  return LEADS_OUT.includes(code)
    ? refuse(403, "outside-project", message, otherwise.hint)
    : refuse(422, otherwise.code, message, otherwise.hint);
}
