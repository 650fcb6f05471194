import { usualToolsets } from "../../lib/agent/declaration/toolsets.ts";
import { listedTools } from "../../lib/agent/mcp.ts";
import { TOOLS, TOOLSETS } from "../../lib/agent/tools.ts";
import type { Tool } from "../../lib/agent/declaration/tool.ts";

/** The tools that are listed without a toolset: all but the rarely used. */
export const USUAL_TOOLS: readonly Tool[] = listedTools(TOOLS, TOOLSETS, usualToolsets(TOOLSETS));
