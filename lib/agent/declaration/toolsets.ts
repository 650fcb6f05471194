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

/** The name that selects the tools of everyday work, from several toolsets. */
const CORE = "core";
/** With the two tools about tools, 22: in at most 3,000 tokens, instructions included. */
const CORE_TOOLS: readonly string[] = [
  "svc_get_scene_state",
  "svc_scene_edit",
  "undo",
  "open_scene",
  "save_scene",
  "get_editor_state",
  "list_traits",
  "list_assets",
  "get_asset_schema",
  "create_asset",
  "play_control",
  "run_until",
  "handles",
  "tap_handle",
  "press_key",
  "svc_diagnose",
  "journal",
  "capture_viewport",
  "build_project",
  "job_get",
];

function coreOf(toolsets: readonly Toolset[]): Toolset {
  const tools = toolsets.flatMap(({ tools }) => tools);
  return { name: CORE, tools: tools.filter(({ name }) => CORE_TOOLS.includes(name)) };
}

const LEAVE_OUT = "Leave toolsets out to have all";

/**
 * Returns the toolsets that a connection selects: `scene,play`, or `core` for the tools of everyday
 * work.
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
  const all = [coreOf(toolsets), ...toolsets];
  const known = all.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined && names.length > 0) {
    return ok(all.filter(({ name }) => names.includes(name)));
  }
  const found = unknown === undefined ? "none" : JSON.stringify(unknown.slice(0, 80));
  return refuse(
    400,
    "unknown-toolset",
    `Cannot choose toolsets: found ${found}, expected some of ${known.join(", ")}`,
    unknown === undefined ? LEAVE_OUT : didYouMean(unknown, known, LEAVE_OUT),
  );
}
