import type { Jobs, JobSnapshot, JobStart } from "../../core/jobs.ts";
import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import type { IsAlive } from "../../ports/processes.ts";
import type { BuildTarget, LookOptions, Preflight } from "../../toolchain/mod.ts";
import {
  type BuildLacks,
  buildTarget,
  type CheckDependencies,
  checkTarget,
  lacksOf,
  planTarget,
  type TargetDependencies,
} from "./build-target.ts";
import { CONFIG_FILE } from "../config/config-file.ts";
import type { ProjectConfig } from "../config/config.ts";
import type { ProjectLack } from "./project-lack.ts";
import { projectLacks } from "./capacitor.ts";
import { checkGradleSdk, LOCAL_PROPERTIES } from "./gradle-sdk.ts";
import { neededTools } from "./needed-tools.ts";
import { readProjectConfig } from "../config/read-config.ts";
import { checkOutFolder } from "./out-folder.ts";
import { xcodeTarget } from "./xcode-steps.ts";
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
  /** Plans a build. Runs nothing. @returns 422 for a project without steps. */
  plan(target: BuildTarget): Promise<Result<RunPlan, Problem>>;
  /**
   * Finds missing parts of the project's own folder, besides the machine's tools, in the order in which to
   * fix them; none if a build can start. Runs nothing.
   */
  lacks(target: BuildTarget): Promise<readonly ProjectLack[]>;
}

/** The dependencies of {@linkcode createBuilds}. */
export interface BuildsOptions extends TargetDependencies {
  /** The project's folder, absolute. */
  readonly root: string;
  /** Where builds run. One project at a time may use it. */
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
  const { files, root } = options;
  return {
    async build(target, { author } = {}) {
      const config = await readProjectConfig(files, root);
      if (!config.ok) return config;
      const plan = planTarget(
        { root, config: config.value, target },
        await xcodeTarget(files, root),
      );
      if (!plan.ok) return plan;
      return await startProjectJob(options, {
        kind: "build",
        key: target,
        author,
        check: async (context) => {
          context.log(`preflight: ${target}`);
          const checked = { ...plan.value, tools: await toolsFor(files, root, config.value) };
          const ready = await checkTarget(options, checked);
          if (!ready.ok) return ready;
          const found = target === "android" ? await checkGradleSdk(files, root) : ready;
          return found.ok ? ok(checked) : found;
        },
        work: (checked, context, held) =>
          buildTarget({ ...options, files: held }, checked, context),
      });
    },
    async plan(target) {
      const read = await readProjectConfig(files, root);
      if (!read.ok) return read;
      const plan = planTarget({ root, config: read.value, target }, await xcodeTarget(files, root));
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
      });
    },
    lacks: (target) => targetLacks(files, root, target),
  };
}

/** Finds what a build lacks in the project's folder: {@linkcode Builds.lacks}. */
export async function targetLacks(
  files: Files,
  root: string,
  target: BuildTarget,
): Promise<readonly ProjectLack[]> {
  const config = await readProjectConfig(files, root);
  if (!config.ok) return [asLack(CONFIG_FILE, config.error)];
  const plan = planTarget({ root, config: config.value, target }, await xcodeTarget(files, root));
  if (!plan.ok) return [asLack(CONFIG_FILE, plan.error)];
  const { out } = config.value.build.web;
  const emptiable = await checkOutFolder(files, root, config.value);
  const sdk = target === "android" ? await checkGradleSdk(files, root) : ok(null);
  return [
    ...(emptiable.ok ? [] : [asLack(`${out}/`, emptiable.error)]),
    ...await projectLacks(files, plan.value),
    ...(sdk.ok ? [] : [asLack(LOCAL_PROPERTIES, sdk.error)]),
  ];
}

/** Whether a build of a project can start: on the machine, and in the project's folder. */
export interface TargetPreflight extends Preflight {
  /** Missing parts of the project's folder, in the order in which to fix them; absent if none. */
  readonly lacks?: readonly ProjectLack[];
}

/** Adds what the project lacks to what the machine lacks: either keeps a build from starting. */
export function withLacks(preflight: Preflight, lacks: readonly ProjectLack[]): TargetPreflight {
  return lacks.length === 0 ? preflight : { ...preflight, ready: false, lacks };
}

function asLack(name: string, { detail, hint }: Problem): ProjectLack {
  return { name, reason: detail, fix: hint };
}

/**
 * Finds missing parts of a build, as the build itself does.
 *
 * @param tools How tools are looked for; by the project's settings if absent.
 * @returns `null` for a project without such a build.
 */
export async function buildLacks(
  dependencies: CheckDependencies,
  root: string,
  target: BuildTarget,
  tools?: LookOptions,
): Promise<BuildLacks | null> {
  const { files } = dependencies;
  const config = await readProjectConfig(files, root);
  const plan = config.ok ? planTarget({ root, config: config.value, target }) : config;
  if (!config.ok || !plan.ok) return null;
  return await lacksOf(dependencies, {
    ...plan.value,
    tools: tools === undefined ? await toolsFor(files, root, config.value) : forBuild(root, tools),
  });
}

async function toolsFor(files: Files, root: string, config: ProjectConfig): Promise<LookOptions> {
  return forBuild(root, await neededTools(files, root, config));
}

/**
 * The user asked for a build by name: so the JDK that the project names may be run, and has to be; and
 * the versions that the project selects are those of its folder (TOOL-16).
 */
function forBuild(root: string, tools: LookOptions): LookOptions {
  return { ...tools, runsOverrides: true, runsIn: root };
}
