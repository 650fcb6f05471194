import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import { createMetaTools } from "./tools/meta.ts";
import type { Tool } from "./declaration/tool.ts";
import { META_TOOLS, TOOLSETS } from "./tools.ts";
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
  const offered = new Set(chosen.value.flatMap(({ tools }) => tools));
  const toolsets = TOOLSETS
    .map(({ name, tools, isSeldom }): Toolset => ({
      name,
      tools: tools.filter((tool) => offered.has(tool)),
      // A rarely used toolset is listed if the process names it.
      ...(isSeldom && asked === undefined && { isSeldom }),
    }))
    .filter(({ tools }) => tools.length > 0);
  const withheld = TOOLSETS.flatMap((toolset) =>
    toolset.tools.filter((tool) => !offered.has(tool)).map((tool) => notChosen(tool, toolset))
  );
  const tools = [
    ...createMetaTools(toolsets, withheld),
    ...toolsets.flatMap(({ tools }) => tools),
  ];
  const offer = { tools, toolsets, withheld };
  return ok(readOnly ? readingOnly(offer, BY_PROCESS) : offer);
}

/** Words of a refusal: its reason, and the next step. */
interface Limit {
  readonly found: string;
  readonly next: string;
}

const BY_PROCESS: Limit = {
  found: "this process was started with --read-only",
  next: "a person may start it without --read-only",
};
/** The reason on a connection that selects only tools that read. */
const BY_CONNECTION: Limit = {
  found: "this connection has readonly=1",
  next: "a person may connect without readonly=1",
};

/** Withholds every tool that changes or starts something, also from `tools` and `batch`. */
export function readingOnly(
  { tools, toolsets, withheld }: Offer,
  by: Limit = BY_CONNECTION,
): Offer {
  const reads = ({ annotations }: Tool) => annotations.readOnlyHint === true;
  const kept = toolsets
    .map((toolset): Toolset => ({ ...toolset, tools: toolset.tools.filter(reads) }))
    .filter(({ tools }) => tools.length > 0);
  const ofToolsets = toolsets.flatMap((toolset) => toolset.tools);
  const others = tools.filter((tool) => !ofToolsets.includes(tool) && !isMeta(tool));
  const changing = [...ofToolsets, ...others].filter((tool) => !reads(tool));
  const refused = [...withheld, ...changing.map((tool) => notReading(tool, by))];
  const meta = new Map(createMetaTools(kept, refused).map((tool) => [tool.name, tool]));
  return {
    tools: tools.map((tool) => meta.get(tool.name) ?? tool).filter(reads),
    toolsets: kept,
    withheld: refused,
  };
}

/** Whether it is one of the tools about tools. */
function isMeta({ name }: Tool): boolean {
  return META_TOOLS.some((tool) => tool.name === name);
}

function notReading(tool: Tool, { found, next }: Limit): Tool {
  const detail = `Cannot call ${tool.name}: it changes or starts something, and ${found}`;
  const hint = `tools lists the available ones; ${next}`;
  return { ...tool, prepare: () => refuse(403, "read-only", detail, hint) };
}

function notChosen(tool: Tool, { name }: Toolset): Tool {
  const detail = `Cannot call ${tool.name}: it is in the toolset ${name}, which this process was ` +
    "not started with";
  const next = `tools lists the available ones; a person may add ${name} to --toolsets`;
  return { ...tool, prepare: () => refuse(403, "toolset-off", detail, next) };
}
