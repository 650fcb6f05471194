import { didYouMean, nearestNames } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Tool } from "./tool.ts";

/** Returns the tool of that name. @returns 404 `no-such-tool` with the nearest names. */
export function namedTool(all: readonly Tool[], name: string): Result<Tool, Problem> {
  const tool = all.find((known) => known.name === name);
  if (tool !== undefined) return ok(tool);
  const names = all.map((known) => known.name);
  const hint = didYouMean(name, names, "tools names them all (GET /api/tools)");
  return refuse(404, "no-such-tool", noTool(name), hint);
}

/** Returns a sentence about a tool that does not exist. */
export function unknownTool(name: string, tools: readonly Tool[]): string {
  const near = nearestNames(name, tools.map((tool) => tool.name));
  const next = near.length > 0 ? `did you mean ${near.join(" or ")}?` : "tools/list names them";
  return `${noTool(name)}: ${next}`;
}

function noTool(name: string): string {
  return `There is no tool named ${JSON.stringify(name.slice(0, 80))}`;
}
