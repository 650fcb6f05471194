import { usualToolsets } from "../../lib/agent/declaration/toolsets.ts";
import { listedTools } from "../../lib/agent/mcp.ts";
import { TOOLS, TOOLSETS } from "../../lib/agent/tools.ts";
import type { Tool } from "../../lib/agent/declaration/tool.ts";

/** What is listed to whoever asks for no toolset: all but the seldom ones. */
export const USUAL_TOOLS: readonly Tool[] = listedTools(TOOLS, TOOLSETS, usualToolsets(TOOLSETS));
