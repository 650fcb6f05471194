import { didYouMean } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Tool } from "./tool.ts";

/** Related tools, under the name by which a connection selects them. */
export interface Toolset {
  /** A short name, as `/mcp?toolsets=` spells it. */
  readonly name: string;
  /** Ordered as agents read them. */
  readonly tools: readonly Tool[];
  /** Rarely used: listed only if selected by name; the tool `tools` finds and calls them anyway. */
  readonly isSeldom?: true;
}

/**
 * Returns the toolsets of a connection that selects none: rarely used ones cost no agent tokens.
 */
export function usualToolsets(toolsets: readonly Toolset[]): readonly Toolset[] {
  return toolsets.filter(({ isSeldom }) => isSeldom !== true);
}

const LEAVE_OUT = "Leave toolsets out to have all";

/**
 * Returns the toolsets that a connection selects: `scene,play`.
 *
 * @param asked Comma-separated names; `null` for all of them.
 * @returns 400 `unknown-toolset`, listing the existing ones.
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
