import { type Problem, problem } from "../../core/problem.ts";
import type { EditRefusal } from "./editing.ts";

/** Errors that a sentence spells out. */
const MAX_LISTED = 5;

/**
 * Code of an error that only follows from another one: a `create` was refused, or the scene is
 * full.
 */
export const FOLLOWS = "create-refused";

/**
 * Returns a refused transaction as a problem: 422 with the code of its first error, without errors
 * that follow from others.
 */
export function refusalProblem({ errors: all }: EditRefusal): Problem {
  const errors = all.filter(({ code }) => code !== FOLLOWS);
  const messages = errors.slice(0, MAX_LISTED).map(({ message }) => message);
  const more = errors.length > MAX_LISTED ? [`and ${errors.length - MAX_LISTED} more errors`] : [];
  return problem(
    422,
    errors[0]?.code ?? "refused",
    `Nothing was changed: ${[...messages, ...more].join("; ")}`,
    hintOf(errors[0]?.code),
  );
}

function hintOf(code: string | undefined): string {
  switch (code) {
    case "loop":
      return "Reparent its descendants first, or choose a parent that is not below it";
    case "no-such-entity":
    case "missing-entity":
      return "Correct this and call again; svc_get_scene_state name= finds entities";
    case "no-such-asset":
    case "wrong-asset-type":
      return "Correct this and call again; list_assets finds paths and guids";
    case "no-such-trait":
      return "Correct this and call again; list_traits names them all";
    case "no-such-field":
    case "bad-value":
      return "Correct this and call again; list_traits name= shows the fields of a trait";
    case "trait-missing":
      return "Choose a trait that it has, or give it one with add_trait";
    case "too-many-entities":
      return "Delete entities, or continue in another scene with new_scene";
    case "trait-exists":
      return "set_fields changes its fields";
    default:
      return "Correct this and call again";
  }
}
