import { z } from "zod";
import { refuse } from "../../core/problem.ts";
import { ok } from "../../core/result.ts";
import { defineTool, type Tool } from "../tool.ts";

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

  async produce({ toolchain }) {
    if (toolchain === undefined) {
      return refuse(
        503,
        "no-toolchain",
        "This service was started without a toolchain",
        "Start it with scripts/start.ts, or give the handler a toolchain",
      );
    }
    return ok(await toolchain.status());
  },

  summarize(status) {
    return ok(status);
  },
});

/** The tools of this family. */
export const TOOLCHAIN_TOOLS: readonly Tool[] = [toolchainStatus];
