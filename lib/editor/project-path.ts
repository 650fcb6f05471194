import { checkPath, type PathFailureCode } from "../core/paths.ts";
import { type Problem, refuse } from "../core/problem.ts";
import type { Result } from "../core/result.ts";

/** What leads out of the project, whatever is there (CONTRACTS §1: outside is 403). */
const LEADS_OUT: readonly PathFailureCode[] = ["absolute", "drive-letter", "dot-segment"];

/**
 * Checks the spelling of a path relative to the project.
 *
 * @param otherwise What a spelling is called that stays inside and is wrong all the same, and the hint.
 * @returns The path itself, or 403 `outside-project`, or 422 with that code.
 */
export function checkProjectPath(
  path: string,
  otherwise: { readonly code: string; readonly hint: string },
): Result<string, Problem> {
  const checked = checkPath(path);
  if (checked.ok) return checked;
  const { code, message } = checked.error;
  return LEADS_OUT.includes(code)
    ? refuse(403, "outside-project", message, otherwise.hint)
    : refuse(422, otherwise.code, message, otherwise.hint);
}
