import { z } from "zod";
import { isRecord } from "../../core/json.ts";
import { nearestNames } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { isToolId, TOOL_IDS, type ToolId } from "../../toolchain/mod.ts";
import { flag, text } from "../parameters.ts";
import type { Services, ToolchainProducer } from "../services.ts";
import { defineTool, READ_ONLY, type Tool } from "../tool.ts";

/** `toolchain_status` (spec §2.10, CONTRACTS §3). */
export const toolchainStatus: Tool = defineTool({
  name: "toolchain_status",
  route: "/api/toolchain",
  purpose: "Command-line tools of mobile builds (java, Android SDK, npm, Xcode): found, missing",
  defaultShape: "every tool with where it was looked for, and what each build target lacks",
  parameters: z.object({
    brief: flag("what is there, what is missing, what builds lack"),
    id: text("the tool"),
  }),
  drillDown: {
    brief: "without the places; start here",
    id: "one tool",
  },
  // Looks outside the project, at whatever is installed.
  annotations: { readOnlyHint: true },

  async produce(services, { id }, { signal }) {
    const toolchain = toolchainOf(services);
    if (!toolchain.ok) return toolchain;
    const known = id === undefined ? null : toolIdOf(id);
    if (known?.ok === false) return known;
    return ok(await toolchain.value.status(signal));
  },

  summarize(status, { id, brief }) {
    if (id !== undefined) return oneTool(status, id);
    return ok(brief === true ? briefOf(status) : status);
  },
});

/** `get_tool_guide`: how a person installs a command-line tool (spec §4.4, `guide(id)`). */
export const getToolGuide: Tool = defineTool({
  name: "get_tool_guide",
  route: "/api/toolchain/guide",
  purpose: "Steps for a person to install a build tool, and the licences that install_tool accepts",
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

/** The tools of this family. */
export const TOOLCHAIN_TOOLS: readonly Tool[] = [toolchainStatus, getToolGuide];

async function guideOf(
  services: Services,
  id: string | undefined,
): Promise<Result<object, Problem>> {
  const toolchain = toolchainOf(services);
  if (!toolchain.ok) return toolchain;
  if (id === undefined) return ok({ ids: TOOL_IDS, hint: "Ids only: id= for the steps" });
  const known = toolIdOf(id);
  if (!known.ok) return known;
  const { licences } = await toolchain.value.licences(known.value);
  const guide = toolchain.value.guide(known.value);
  return ok(licences.length === 0 ? guide : { ...guide, licences });
}

/** The tool that an argument names. */
export function toolIdOf(id: string): Result<ToolId, Problem> {
  if (isToolId(id)) return ok(id);
  const near = nearestNames(id, TOOL_IDS);
  return refuse(
    404,
    "no-such-tool",
    `There is no build tool ${JSON.stringify(id.slice(0, 80))}; there are ${TOOL_IDS.join(", ")}`,
    near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "toolchain_status tells of all",
  );
}

function oneTool(status: object, id: string): Result<object, Problem> {
  const tool = toolsOf(status).find((each) => each["id"] === id);
  return tool !== undefined ? ok(tool) : refuse(
    503,
    "no-toolchain",
    `The toolchain of this service tells nothing of ${id}`,
    "toolchain_status without id= shows what it tells of",
  );
}

/** Everything but the trails, which are most of it; `id=` has them. */
function briefOf(status: object): object {
  const { toolchainDir: _folder, tools: _tools, adb: _adb, ...rest } = { ...asRecord(status) };
  const tools = toolsOf(status);
  const present = tools.filter((tool) => tool["present"] === true);
  const missing = tools.filter((tool) => tool["present"] !== true);
  return {
    ...rest,
    total: tools.length,
    present: Object.fromEntries(present.map(({ id, version = true }) => [id, version])),
    missing: missing.map(({ id, canAutoInstall }) => ({ id, canAutoInstall })),
    hint: "id= for where a tool was looked for; get_tool_guide id= for its steps",
  };
}

function toolsOf(status: object): readonly Record<string, unknown>[] {
  const { tools } = asRecord(status);
  return Array.isArray(tools) ? tools.filter(isRecord) : [];
}

function asRecord(value: object): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** The toolchain of the service, or that it has none. */
export function toolchainOf({ toolchain }: Services): Result<ToolchainProducer, Problem> {
  return toolchain !== undefined ? ok(toolchain) : refuse(
    503,
    "no-toolchain",
    "This service was started without a toolchain",
    "Start it with scripts/start.ts, or give the handler a toolchain",
  );
}
