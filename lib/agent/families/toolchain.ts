import { z } from "zod";
import { nearestNames } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { isToolId, TOOL_IDS } from "../../toolchain/mod.ts";
import { text } from "../parameters.ts";
import type { Services, ToolchainProducer } from "../services.ts";
import { defineTool, READ_ONLY, type Tool } from "../tool.ts";

/** `toolchain_status` (spec §2.10, CONTRACTS §3). */
export const toolchainStatus: Tool = defineTool({
  name: "toolchain_status",
  route: "/api/toolchain",
  purpose: "Command-line tools of mobile builds (java, Android SDK, npm, Xcode): found, missing",
  defaultShape: "every tool with where it was looked for, and what each build target lacks",
  parameters: z.object({}),
  drillDown: {},
  // Looks outside the project, at whatever is installed.
  annotations: { readOnlyHint: true },

  async produce(services) {
    const toolchain = toolchainOf(services);
    return toolchain.ok ? ok(await toolchain.value.status()) : toolchain;
  },

  summarize(status) {
    return ok(status);
  },
});

/** `get_tool_guide`: how a person installs a command-line tool (spec §4.4, `guide(id)`). */
export const getToolGuide: Tool = defineTool({
  name: "get_tool_guide",
  route: "/api/toolchain/guide",
  purpose: "Steps for a person to install a build tool that is missing",
  defaultShape: "the tools' ids",
  parameters: z.object({ id: text("the tool, as toolchain_status spells it") }),
  drillDown: { id: "its steps" },
  annotations: READ_ONLY,

  produce(services, { id }) {
    return Promise.resolve(guideOf(services, id));
  },

  summarize(guide) {
    return ok(guide);
  },
});

/** The tools of this family. */
export const TOOLCHAIN_TOOLS: readonly Tool[] = [toolchainStatus, getToolGuide];

function guideOf(services: Services, id: string | undefined): Result<object, Problem> {
  const toolchain = toolchainOf(services);
  if (!toolchain.ok) return toolchain;
  if (id === undefined) return ok({ ids: TOOL_IDS, hint: "Ids only: id= for the steps" });
  if (isToolId(id)) return ok(toolchain.value.guide(id));
  const near = nearestNames(id, TOOL_IDS);
  return refuse(
    404,
    "no-such-tool",
    `There is no build tool ${JSON.stringify(id.slice(0, 80))}; there are ${TOOL_IDS.join(", ")}`,
    near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "toolchain_status tells of all",
  );
}

function toolchainOf({ toolchain }: Services): Result<ToolchainProducer, Problem> {
  return toolchain !== undefined ? ok(toolchain) : refuse(
    503,
    "no-toolchain",
    "This service was started without a toolchain",
    "Start it with scripts/start.ts, or give the handler a toolchain",
  );
}
