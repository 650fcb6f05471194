import { z } from "zod";
import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { RunPlan } from "../../project/mod.ts";
import { BUILD_TARGETS } from "../../toolchain/tools/mod.ts";
import { choice, flag } from "../declaration/parameters.ts";
import { servicePart } from "../declaration/parts.ts";
import { type Started, startedFromFiles, startedJob } from "../declaration/started-job.ts";
import { authorOf } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, type Tool } from "../declaration/tool.ts";

/** `build_project` (BUILD-2). */
const buildProject: Tool = defineTool({
  name: "build_project",
  route: "/api/build",
  routeKind: "stream",
  purpose: "Builds the project: preflight, web build, then the target's steps",
  defaultShape: "a job for job_get; needs target=",
  parameters: z.object({
    target: choice(BUILD_TARGETS, "target platform"),
    dryRun: flag("only shows the commands"),
  }),
  drillDown: { target: "platform", dryRun: "commands only" },
  // Runs the project's own commands.
  annotations: {},

  async produce(services, { target, dryRun }): Promise<Result<Started | RunPlan, Problem>> {
    const builds = servicePart(services, "builds");
    if (!builds.ok) return builds;
    if (target === undefined) {
      return refuseMissing("build_project", "target", "target=web, android or ios");
    }
    if (dryRun === true) return await builds.value.plan(target);
    const job = await builds.value.build(target, { author: authorOf(services) });
    return job.ok ? ok(startedFromFiles(job.value, services)) : job;
  },

  summarize: (started) => ok(startedJob(started, "builds")),
});

export const BUILD_TOOLS: readonly Tool[] = [buildProject];
