import type { Jobs, JobSnapshot, JobStart } from "../../core/jobs.ts";
import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { createSharing } from "../../core/shared-work.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import type { IsAlive } from "../../ports/processes.ts";
import type { BuildTarget, LookOptions, Toolchain } from "../../toolchain/mod.ts";
import {
  buildTarget,
  checkTarget,
  planTarget,
  type TargetDependencies,
  type TargetPlan,
} from "./build-target.ts";
import { CONFIG_FILE } from "../config/config-file.ts";
import type { ProjectConfig } from "../config/config.ts";
import { neededTools } from "./needed-tools.ts";
import {
  preflightBuild,
  type PreflightDependencies,
  type ProgramsRun,
  type TargetPreflight,
} from "./target-preflight.ts";
import { readProjectConfig } from "../config/read-config.ts";
import { checkOutFolder } from "./out-folder.ts";
import { ownAppOf } from "./capacitor.ts";
import { readOnce } from "./plan/read-once.ts";
import { startProjectJob } from "../jobs/project-job.ts";
import { type RunPlan, shownSetting, webRuns } from "./run-plan.ts";

/** A project's builds, for agents and routes (BUILD-2). */
export interface Builds {
  /**
   * Starts building, or attaches to the running build of the same target.
   *
   * @returns The job within a second. 409 while another build of the project is running, 422 for a project
   * without steps or a machine that lacks tools.
   */
  build(target: BuildTarget, options?: JobStart): Promise<Result<JobSnapshot, Problem>>;
  /**
   * Plans a build, and changes nothing.
   *
   * @param look The programs of the project that may be run; none if absent.
   * @returns 422 for a project without steps.
   */
  plan(
    target: BuildTarget,
    look?: { readonly programs: ProgramsRun },
  ): Promise<Result<BuildPlan, Problem>>;
  /**
   * Checks whether a build can start, and plans what it will use, as far as this is known without running a
   * program of the project. Callers who ask at the same time share one answer, unless the settings were changed,
   * or this process installed or removed a tool, in between.
   *
   * @param signal Ends this caller's wait, with its reason; the work stops once all callers have left.
   */
  preflight(target: BuildTarget, signal?: AbortSignal): Promise<TargetPreflight>;
}

/** The commands and the tools of a build, before it runs. */
export interface BuildPlan extends RunPlan {
  /** The folder that is emptied first: `build.web.out`. */
  readonly empties: string;
  /** Whether it can start, and what it will use. */
  readonly preflight: TargetPreflight;
}

/** The dependencies of {@linkcode createBuilds}. */
export interface BuildsOptions extends TargetDependencies {
  /** Finds the tools. */
  readonly toolchain: TargetDependencies["toolchain"] & Pick<Toolchain, "changes">;
  /** The project's folder, absolute. */
  readonly root: string;
  /** Runs builds. One project at a time may use it. */
  readonly jobs: Pick<Jobs, "start" | "list">;
  /** Limits how long a start may take, paces progress, and dates the running build. */
  readonly clock: Pick<Clock, "now" | "monotonic" | "sleep">;
  /** The machine: where programs are, the environment of a build, and the user. */
  readonly host: TargetDependencies["host"] & Pick<Host, "userData" | "pid">;
  /** Whether a process that builds the project is still running. */
  readonly isAlive: IsAlive;
}

/** The builds of one project. */
export function createBuilds(options: BuildsOptions): Builds {
  const { files, root, toolchain } = options;
  const share = createSharing<TargetPreflight>();
  return {
    async build(target, { author } = {}) {
      const config = await readProjectConfig(files, root);
      if (!config.ok) return config;
      const plan = await planOf(files, root, { config: config.value, target });
      if (!plan.ok) return plan;
      return await startProjectJob(options, {
        kind: "build",
        key: target,
        author,
        check: async (context) => {
          context.log(`preflight: ${target}`);
          const tools = await toolsFor(options, root, config.value);
          const planned = await preflightBuild(options, plan.value, { tools, programs: "node" });
          const ready = checkTarget(options, planned);
          return ready.ok
            ? ok({ ...plan.value, tools: planned.tools, appFolder: planned.appFolder })
            : ready;
        },
        work: (checked, context, held) =>
          buildTarget({ ...options, files: held }, checked, context),
      });
    },
    async plan(target, look = { programs: "none" }) {
      const read = await readProjectConfig(files, root);
      if (!read.ok) return read;
      const plan = await planOf(files, root, { config: read.value, target });
      if (!plan.ok) return plan;
      const { config } = plan.value;
      const emptiable = await checkOutFolder(files, root, config);
      if (!emptiable.ok) return emptiable;
      return ok({
        dryRun: true,
        folder: root,
        runs: [
          ...webRuns(config),
          ...(target === "web" ? [] : [shownSetting(`build.${target}.steps`, config)]),
        ],
        empties: config.build.web.out,
        preflight: await preflightTarget(options, root, target, look),
      });
    },
    async preflight(target, signal) {
      const settings = [
        await readProjectConfig(files, root),
        await toolchain.systemToolchainAllowed(),
        toolchain.changes(),
      ];
      const look = (ending: AbortSignal) =>
        preflightTarget(options, root, target, { programs: "none", signal: ending });
      return await share(`${target} ${JSON.stringify(settings)}`, look, signal);
    },
  };
}

/**
 * Checks whether a build of a project can start, and plans what it will use, as the build itself does.
 *
 * @param look.tools How tools are looked for; by the project's settings if absent.
 * @param look.signal Cancels the check at its next step, with its reason.
 */
export async function preflightTarget(
  given: PreflightDependencies,
  root: string,
  target: BuildTarget,
  { programs, tools, signal }: {
    readonly programs: ProgramsRun;
    readonly tools?: LookOptions;
    readonly signal?: AbortSignal;
  },
): Promise<TargetPreflight> {
  const { toolchain } = given;
  // A program that is run may write a file that is read after it.
  const files = programs === "none" ? readOnce(given.files) : given.files;
  const dependencies = { ...given, files };
  const config = await readProjectConfig(files, root);
  const plan = config.ok ? await planOf(files, root, { config: config.value, target }) : config;
  if (!plan.ok) {
    const { detail: why, hint: fix } = plan.error;
    const needed = tools ??
      (config.ok ? await neededTools(dependencies, root, config.value) : undefined);
    const preflight = await toolchain.preflight(target, { ...needed, signal });
    const steps = { name: "steps", value: "", from: CONFIG_FILE, ok: false, why, fix } as const;
    const lacks = [{ name: CONFIG_FILE, reason: why, fix }];
    return { ...preflight, ready: false, lacks, plan: [steps], unknown: [] };
  }
  const found = tools ?? await neededTools(dependencies, root, plan.value.config);
  const needed = { ...found, signal: signal ?? found.signal };
  signal?.throwIfAborted();
  const look = { programs, tools: programs === "none" ? needed : forBuild(root, needed) };
  return (await preflightBuild(dependencies, plan.value, look)).preflight;
}

/** Plans a target of a project; the refusal of one without steps names the steps of its own app. */
async function planOf(
  files: Files,
  root: string,
  { config, target }: Pick<TargetPlan, "config" | "target">,
): Promise<Result<TargetPlan, Problem>> {
  const app = target === "web" ? undefined : await ownAppOf(files, root, target);
  return planTarget({ root, config, target }, app);
}

async function toolsFor(
  dependencies: Pick<PreflightDependencies, "files" | "host">,
  root: string,
  config: ProjectConfig,
): Promise<LookOptions> {
  return forBuild(root, await neededTools(dependencies, root, config));
}

/**
 * The user asked for a build by name: so the JDK that the project names may be run, and has to be; and
 * the versions that the project selects are those of its folder (TOOL-16).
 */
function forBuild(root: string, tools: LookOptions): LookOptions {
  return { ...tools, runsOverrides: true, runsIn: root };
}
