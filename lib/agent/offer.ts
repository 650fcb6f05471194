import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import { createMetaTools } from "./tools/meta.ts";
import type { Tool } from "./declaration/tool.ts";
import { TOOLSETS } from "./tools.ts";
import { chooseToolsets, type Toolset } from "./declaration/toolsets.ts";

/** The tools of one process: no connection and no route can call others. */
export interface Offer {
  /** Listed tools, in the order in which agents read them. */
  readonly tools: readonly Tool[];
  /** The toolsets that a connection may choose from. */
  readonly toolsets: readonly Toolset[];
  /** Tools that refuse every call with 403 and the reason. */
  readonly withheld: readonly Tool[];
}

/** Limits on the tools of a process. */
export interface OfferLimits {
  /** Comma-separated names of toolsets; all when absent. */
  readonly toolsets?: string | undefined;
  /** Offers only tools that change nothing and start nothing. */
  readonly readOnly?: boolean | undefined;
}

/** Chooses the tools of a process. @returns 400 `unknown-toolset`. */
export function offerTools(
  { toolsets: asked, readOnly = false }: OfferLimits,
): Result<Offer, Problem> {
  const chosen = chooseToolsets(TOOLSETS, asked ?? null);
  if (!chosen.ok) return chosen;
  const offered = (toolset: Toolset, { annotations }: Tool) =>
    chosen.value.includes(toolset) && (!readOnly || annotations.readOnlyHint === true);
  const toolsets = TOOLSETS
    .map((toolset): Toolset => {
      const tools = toolset.tools.filter((tool) => offered(toolset, tool));
      const { name, isSeldom } = toolset;
      // A rarely used toolset is listed if the process names it.
      return { name, tools, ...(isSeldom && asked === undefined && { isSeldom }) };
    })
    .filter(({ tools }) => tools.length > 0);
  const withheld = TOOLSETS.flatMap((toolset) =>
    toolset.tools.filter((tool) => !offered(toolset, tool)).map((tool) =>
      chosen.value.includes(toolset) ? notReading(tool) : notChosen(tool, toolset)
    )
  );
  const tools = [
    ...createMetaTools(toolsets, withheld),
    ...toolsets.flatMap(({ tools }) => tools),
  ];
  return ok({ tools, toolsets, withheld });
}

function notReading(tool: Tool): Tool {
  const detail = `Cannot call ${tool.name}: it changes or starts something, and this process was ` +
    "started with --read-only";
  const next = "tools lists the available ones; a person may start it without --read-only";
  return { ...tool, prepare: () => refuse(403, "read-only", detail, next) };
}

function notChosen(tool: Tool, { name }: Toolset): Tool {
  const detail = `Cannot call ${tool.name}: it is in the toolset ${name}, which this process was ` +
    "not started with";
  const next = `tools lists the available ones; a person may add ${name} to --toolsets`;
  return { ...tool, prepare: () => refuse(403, "toolset-off", detail, next) };
}
