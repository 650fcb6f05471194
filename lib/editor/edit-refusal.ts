import { type Problem, problem } from "../core/problem.ts";
import type { EditRefusal } from "./ports.ts";

/** Errors that a sentence spells out. */
const TOLD = 5;

/** A refused transaction as a problem: 422, with the code of its first error. */
export function refusalProblem({ errors }: EditRefusal): Problem {
  const told = errors.slice(0, TOLD).map(({ message }) => message);
  const more = errors.length > TOLD ? [`and ${errors.length - TOLD} more errors`] : [];
  return problem(
    422,
    errors[0]?.code ?? "refused",
    `Nothing was changed: ${[...told, ...more].join("; ")}`,
    "Correct this and call again; list_traits name= shows the fields of a trait",
  );
}
