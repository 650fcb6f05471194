import { didYouMean } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Tool } from "./tool.ts";

/** Tools that belong together, under the name that a connection asks for them by. */
export interface Toolset {
  /** A few letters, as `/mcp?toolsets=` spells it. */
  readonly name: string;
  /** In the order in which agents read them. */
  readonly tools: readonly Tool[];
  /** Of seldom use: listed only where it is asked for by name; `tools` finds and calls them anyway. */
  readonly isSeldom?: true;
}

/** The toolsets of a connection that asks for none: what is seldom used costs nobody a reading. */
export function usualToolsets(toolsets: readonly Toolset[]): readonly Toolset[] {
  return toolsets.filter(({ isSeldom }) => isSeldom !== true);
}

const LEAVE_OUT = "Leave toolsets out to have all";

/**
 * The toolsets that a connection asks for: `scene,play`.
 *
 * @param asked Names with commas; `null` for all of them.
 * @returns 400 `unknown-toolset`, listing those that there are.
 */
export function chooseToolsets(
  toolsets: readonly Toolset[],
  asked: string | null,
): Result<readonly Toolset[], Problem> {
  if (asked === null) return ok(toolsets);
  const names = asked.split(",").map((name) => name.trim()).filter((name) => name !== "");
  const known = toolsets.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined && names.length > 0) {
    return ok(toolsets.filter(({ name }) => names.includes(name)));
  }
  const found = unknown === undefined ? "none" : JSON.stringify(unknown.slice(0, 80));
  return refuse(
    400,
    "unknown-toolset",
    `Cannot choose toolsets: found ${found}, expected some of ${known.join(", ")}`,
    unknown === undefined ? LEAVE_OUT : didYouMean(unknown, known, LEAVE_OUT),
  );
}
