import { z } from "zod";
import { isRecord } from "../../core/json.ts";
import { didYouMean } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { ToolId } from "../../toolchain/mod.ts";
import { isBuildTarget, isToolId, TOOL_IDS } from "../../toolchain/tools/mod.ts";
import { flag, text } from "../declaration/parameters.ts";
import { servicePart } from "../declaration/parts.ts";
import type { Services } from "../declaration/services.ts";
import { defineTool, READ_ONLY, type Tool } from "../declaration/tool.ts";

/** `toolchain_status` (FIND-12). */
const toolchainStatus: Tool = defineTool({
  name: "toolchain_status",
  route: "/api/toolchain",
  purpose: "Command-line tools of mobile builds (java, Android SDK, npm, Xcode): found, missing",
  routeDefaults: { full: true }, // FIND-12
  defaultShape: "versions or how to get them, missing ones by build target",
  parameters: z.object({
    id: text("the tool"),
    full: flag("all of every tool"),
    brief: flag("the default"),
  }),
  drillDown: {
    id: "one tool, with its search",
    full: "all of every tool",
  },
  // Reads outside the project: all installed tools.
  annotations: { readOnlyHint: true },

  async produce(services, { id }, { signal }) {
    const toolchain = servicePart(services, "toolchain");
    if (!toolchain.ok) return toolchain;
    const known = id === undefined ? null : toolIdOf(id);
    if (known?.ok === false) return known;
    const status = await toolchain.value.status(signal);
    return ok(id === undefined ? await withProject(status, services, signal) : status);
  },

  summarize(status, { id, full, brief }) {
    if (id !== undefined) return oneTool(status, id);
    return ok(full === true && brief !== true ? status : briefOf(status));
  },
});

/** `get_tool_guide`: how a person installs a command-line tool (FIND-18). */
const getToolGuide: Tool = defineTool({
  name: "get_tool_guide",
  route: "/api/toolchain/guide",
  purpose: "Steps to install a build tool by hand, and licences that install_tool accepts",
  defaultShape: "the tools' ids",
  parameters: z.object({ id: text("the tool, as toolchain_status spells it") }),
  drillDown: { id: "its steps and licences" },
  annotations: READ_ONLY,

  produce(services, { id }) {
    return guideOf(services, id);
  },

  summarize(guide) {
    return ok(guide);
  },
});

export const TOOLCHAIN_TOOLS: readonly Tool[] = [toolchainStatus, getToolGuide];

async function guideOf(
  services: Services,
  id: string | undefined,
): Promise<Result<object, Problem>> {
  const toolchain = servicePart(services, "toolchain");
  if (!toolchain.ok) return toolchain;
  if (id === undefined) return ok({ ids: TOOL_IDS, hint: "Ids only: id= for the steps" });
  const known = toolIdOf(id);
  if (!known.ok) return known;
  const { licences } = await toolchain.value.licences(known.value);
  const guide = toolchain.value.guide(known.value);
  return ok(licences.length === 0 ? guide : { ...guide, licences });
}

/** Returns the tool that an argument names. */
export function toolIdOf(id: string): Result<ToolId, Problem> {
  if (isToolId(id)) return ok(id);
  return refuse(
    404,
    "no-such-tool",
    `There is no build tool ${JSON.stringify(id.slice(0, 80))}; there are ${TOOL_IDS.join(", ")}`,
    didYouMean(id, TOOL_IDS, "toolchain_status lists all"),
  );
}

/** Answers for each target as its build would: what it will use, and what it lacks (BUILD-14). */
export async function withProject(
  status: object,
  { builds }: Pick<Services, "builds">,
  signal: AbortSignal,
): Promise<object> {
  if (builds === undefined) return status;
  const { preflight } = asRecord(status);
  const targets = await Promise.all(
    Object.entries(asRecord(preflight)).map(async ([target, found]) =>
      [target, isBuildTarget(target) ? await builds.preflight(target, signal) : found] as const
    ),
  );
  return { ...status, preflight: Object.fromEntries(targets) };
}

function oneTool(status: object, id: string): Result<object, Problem> {
  const tool = toolsOf(status).find((each) => each["id"] === id);
  return tool !== undefined ? ok(tool) : refuse(
    503,
    "no-toolchain",
    `The toolchain of this service has no status of ${id}`,
    "toolchain_status without id= lists the tools",
  );
}

/**
 * Shortens a status to what an agent needs for decisions: the found tools, and what each build is
 * missing.
 */
function briefOf(status: object): object {
  const { platform, packaged, allowSystemToolchain, preflight } = asRecord(status);
  const warnings = [status, ...toolsOf(status)].flatMap(warningsOf);
  const groups: Record<string, Record<string, unknown>> = {};
  for (const tool of toolsOf(status)) {
    const group = groups[String(tool["group"])] ??= {};
    const isUsable = tool["present"] === true && tool["lacks"] === undefined;
    group[String(tool["id"])] = isUsable ? tool["version"] ?? true : unusable(tool);
  }
  return {
    platform,
    ...(packaged === true && { packaged }),
    allowSystemToolchain,
    preflight: Object.fromEntries(Object.entries(asRecord(preflight)).map(briefPreflight)),
    groups,
    ...(warnings.length > 0 && { warnings: briefWarnings(warnings) }),
    hint: `${HOW_TO_GET}; id= for why`,
  };
}

/** Maximum warnings of a short status; `full=` has all. */
const MAX_WARNINGS = 2;

function briefWarnings(all: readonly string[]): readonly string[] {
  const shown = all.slice(0, MAX_WARNINGS);
  return shown.length === all.length
    ? shown
    : [...shown, `${all.length - shown.length} more: full=`];
}

function warningsOf(status: object): readonly string[] {
  const { warnings } = asRecord(status);
  return Array.isArray(warnings) ? warnings.map(shortened) : [];
}

function unusable(
  { present, need, canAutoInstall, reason, lacks }: Record<string, unknown>,
): object {
  const isTelling = need === "required" && reason !== "not found" && lacks === undefined;
  return {
    present,
    need,
    ...(lacks !== undefined && { lacks }),
    ...(canAutoInstall === true && { canAutoInstall }),
    ...(isTelling && { reason: shortened(reason) }),
  };
}

/** Maximum characters of a reason; `id=` has all of it. */
const MAX_REASON = 100;

/** How an agent, which types no commands, gets a tool. */
export const HOW_TO_GET = "install_tool id= where canAutoInstall, else get_tool_guide id=";

function shortened(reason: unknown): string {
  const text = String(reason);
  return text.length <= MAX_REASON ? text : `${text.slice(0, MAX_REASON - 1)}…`;
}

function briefPreflight([target, found]: [string, unknown]): [string, object] {
  const { ready, missing, lacks, unknown, bytes, disk } = asRecord(found);
  const ids = Array.isArray(missing) ? missing.filter(isRecord).map(({ id }) => id) : [];
  const names = Array.isArray(lacks) ? lacks.filter(isRecord).map(({ name }) => name) : [];
  const isPartial = Array.isArray(unknown) && unknown.length > 0;
  return [target, {
    ready,
    ...(isPartial && { known: "as far as known" }),
    ...(ready !== true && { missing: ids, bytes, disk }),
    ...(names.length > 0 && { lacks: names }),
  }];
}

function toolsOf(status: object): readonly Record<string, unknown>[] {
  const { tools } = asRecord(status);
  return Array.isArray(tools) ? tools.filter(isRecord) : [];
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
