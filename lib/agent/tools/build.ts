import { z } from "zod";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Builds, RunPlan } from "../../project/mod.ts";
import { BUILD_TARGETS } from "../../toolchain/mod.ts";
import { choice, flag } from "../declaration/parameters.ts";
import type { Services } from "../declaration/services.ts";
import { type Started, startedFromFiles, startedJob } from "../declaration/started-job.ts";
import { defineTool, refuseMissing, type Tool } from "../declaration/tool.ts";

/** `build_project` (BUILD-2). */
export const buildProject: Tool = defineTool({
  name: "build_project",
  route: "/api/build",
  routeKind: "stream",
  purpose: "Builds the project: preflight, web build, then the target's steps",
  defaultShape: "a job for job_get; target= is needed",
  parameters: z.object({
    target: choice(BUILD_TARGETS, "what to build for"),
    dryRun: flag("shows the commands, runs none"),
  }),
  drillDown: { target: "web, android or ios", dryRun: "commands only" },
  // Runs the project's own commands.
  annotations: {},

  async produce(services, { target, dryRun }): Promise<Result<Started | RunPlan, Problem>> {
    const builds = buildsOf(services);
    if (!builds.ok) return builds;
    if (target === undefined) return refuseMissing("build_project", "target", "target=android");
    if (dryRun === true) return await builds.value.plan(target);
    const job = await builds.value.build(target);
    return job.ok ? ok(startedFromFiles(job.value, services)) : job;
  },

  summarize: (started) => ok(startedJob(started, "builds")),
});

/** The tools of this family. */
export const BUILD_TOOLS: readonly Tool[] = [buildProject];

function buildsOf({ builds }: Services): Result<Builds, Problem> {
  return builds !== undefined ? ok(builds) : refuse(
    503,
    "no-builds",
    "This service was started without a project that can be built",
    "Start it with Slipway's start command, or give the handler builds",
  );
}
