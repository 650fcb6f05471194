import type { JobContext } from "../../core/jobs.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import {
  bringsNode,
  type BuildTarget,
  type LookOptions,
  type Toolchain,
} from "../../toolchain/mod.ts";
import { type BuildDependencies, buildWeb } from "./build.ts";
import {
  buildEnvironment,
  type BuildTools,
  type EnvironmentDependencies,
  stepEnvironment,
} from "./build-environment.ts";
import type { Command, ProjectConfig } from "../config/config.ts";
import { capacitorSteps, type OwnApp } from "./capacitor.ts";
import { appFolderOf } from "./app-facts.ts";
import type { AppFolders } from "./capacitor-report.ts";
import { embedBundle, type EmbedDependencies } from "./embedded-manifest.ts";
import { forPlayers, playersReason } from "./for-players.ts";
import { preflightFailed } from "./preflight-failed.ts";
import { type PlannedPreflight, preflightBuild, type TargetPreflight } from "./target-preflight.ts";
import { readyStep, shownCommand } from "./run-step.ts";
import { beginStep, checkSteps, runSteps } from "./target-steps.ts";

/** The dependencies of building a target. */
export interface TargetDependencies
  extends BuildDependencies, EnvironmentDependencies, EmbedDependencies {
  /** The machine: where programs are, and the environment of a build. */
  readonly host: BuildDependencies["host"] & EnvironmentDependencies["host"];
  /** Measures and ends waits. */
  readonly clock: EnvironmentDependencies["clock"] & EmbedDependencies["clock"];
  /** Finds the tools, and reports which are missing. */
  readonly toolchain: BuildTools & Pick<Toolchain, "preflight">;
}

/** A build that can start. */
export interface TargetPlan {
  readonly root: string;
  readonly config: ProjectConfig;
  readonly target: BuildTarget;
  /** The commands after the web build. */
  readonly steps: readonly Command[];
  /** Why the device bridge that the project asks for is left out of the game, if it is (DEV-47). */
  readonly unbridged?: string;
}

/** A build that can start, with how its tools are looked for ({@linkcode neededTools}), and its app. */
export interface CheckedPlan extends TargetPlan {
  /** The folder of the app's own project, below the project's. */
  readonly appFolder: string;
  readonly tools: LookOptions;
}

/**
 * Lists what a build of the target would run; for `web` only the web build.
 *
 * @param app The app whose steps a project without any is told to add: {@linkcode ownAppOf}.
 * @returns 422 `no-build-steps` for a phone's target without steps.
 */
export function planTarget(
  { root, config, target }: Pick<TargetPlan, "root" | "config" | "target">,
  app?: OwnApp,
): Result<TargetPlan, Problem> {
  if (target === "web") return ok({ root, config, target, steps: [] });
  const steps = config.build[target]?.steps ?? [];
  if (steps.length > 0) {
    const reason = playersReason(steps);
    if (reason === null || config.devices === undefined) {
      return ok({ root, config, target, steps });
    }
    const unbridged = `the device bridge is left out: ${reason}`;
    return ok({ root, config: forPlayers(config), target, steps, unbridged });
  }
  return refuse(
    422,
    "no-build-steps",
    `Cannot build ${target}: project.config.json has no build.${target}.steps`,
    `Add them, for a Capacitor app: ${
      JSON.stringify({ build: { [target]: { steps: capacitorSteps(target, app) } } })
    }`,
  );
}

/**
 * Checks before any step that the machine and the project have everything that the target requires
 * (BUILD-2). Only Node may be missing, if the editor provides it: the build then installs it first.
 *
 * @returns 422 `preflight-failed` with everything that is missing, why what was found does not count, and
 * the next step; `sdk-dir-missing`.
 */
export function checkTarget(
  { host }: Pick<TargetDependencies, "host">,
  { preflight, problem }: PlannedPreflight,
): Result<TargetPreflight, Problem> {
  const { missing, lacks = [] } = preflight;
  const bringsAll = bringsNode({ host }) &&
    missing.every(({ id, canAutoInstall }) => id === "npm" && canAutoInstall);
  if ((missing.length === 0 || bringsAll) && lacks.length === 0) return ok(preflight);
  return problem === undefined ? preflightFailed(preflight, lacks, host.platform) : err(problem);
}

/**
 * Builds a target whose preflight is ready (BUILD-3): the web build, then the target's own steps, each
 * once the one before it has succeeded. Before anything of the project is touched, every step's program
 * is looked up, and Capacitor has to start and to report the folders that the build needs.
 *
 * @returns What was built; 422 `toolchain-unresolved`, and what {@linkcode checkSteps},
 * {@linkcode buildWeb}, {@linkcode embedBundle} and {@linkcode runSteps} refuse.
 */
export async function buildTarget(
  dependencies: TargetDependencies,
  { root, config, target, steps, tools, appFolder, unbridged }: CheckedPlan,
  context: JobContext,
): Promise<Result<JsonObject, Problem>> {
  const { command, out } = config.build.web;
  const how = command === undefined ? "the game" : shownCommand(command);
  let look = tools;
  const runsNothing = command === undefined && steps.length === 0;
  const env = runsNothing ? ok({}) : await buildEnvironment(dependencies, context, root);
  if (!env.ok) return env;
  const { log: onLine, signal } = context;
  const plan = { root, config, target, steps };
  const environmentOf = (program: string) =>
    stepEnvironment(dependencies, env.value, { target, program, tools: look });
  const running = (environment: typeof environmentOf) => ({
    context,
    async readyAt(index: number, command: Command) {
      const found = await environment(command[0]);
      if (!found.ok) return found;
      const setting = `build.${target}.steps[${index}]`;
      const app = target === "web" ? undefined : { folder: appFolder, target };
      const step = { command, setting, root, app, env: found.value, onLine, signal };
      return await readyStep(dependencies, step);
    },
  });
  // No step has run, so the tools are the same for all; later each step finds what those before it made.
  const begun = await checkSteps(dependencies, plan, running(askedOnce(environmentOf)));
  if (!begun.ok) return begun;
  const isElsewhere = target === "android" && begun.value !== null &&
    await isInAnotherFolder(dependencies, { root, appFolder }, begun.value);
  if (isElsewhere) {
    const again = await checkAgain(dependencies, { ...plan, tools }, begun.value);
    if (!again.ok) return again;
    look = again.value;
  }
  beginStep(context, plan, { index: 0, label: `build: ${how} (into ${out})` });
  if (unbridged !== undefined) context.log(`build: ${unbridged}`);
  const web = await buildWeb(dependencies, { root, config, env: env.value, onLine, signal });
  if (!web.ok) return web;
  if (target !== "web") {
    const embedded = await embedBundle(dependencies, web.value.folder, config, context);
    if (!embedded.ok) return embedded;
    const built = { built: web.value.folder, folders: begun.value };
    const ran = await runSteps(
      dependencies,
      { ...plan, target, ...built },
      running(environmentOf),
    );
    if (!ran.ok) return ran;
  }
  context.progress(steps.length + 1, steps.length + 1, "steps", "built");
  return ok({ target, out, steps: steps.length });
}

/** Asks once for the environment of `pod`, and once for that of any other program. */
function askedOnce<Environment>(
  ask: (program: string) => Promise<Environment>,
): (program: string) => Promise<Environment> {
  const known = new Map<boolean, Promise<Environment>>();
  return (program) => {
    const isPod = program === "pod";
    const environment = known.get(isPod) ?? ask(program);
    known.set(isPod, environment);
    return environment;
  };
}

/** Whether Capacitor reports the app's own project elsewhere than the plan looked for it. */
async function isInAnotherFolder(
  { files }: Pick<TargetDependencies, "files">,
  { root, appFolder }: Pick<CheckedPlan, "root" | "appFolder">,
  report: AppFolders,
): Promise<boolean> {
  const realRoot = await files.realPath(root) ?? root;
  const app = { root, realRoot, target: "android", settings: "none", report } as const;
  return appFolderOf(app) !== appFolder;
}

/** Checks the app's own project where Capacitor reports it: it was not checked there before. */
async function checkAgain(
  dependencies: TargetDependencies,
  plan: Omit<CheckedPlan, "appFolder">,
  report: AppFolders,
): Promise<Result<LookOptions, Problem>> {
  const planned = await preflightBuild(dependencies, plan, {
    tools: plan.tools,
    programs: "node",
    report,
  });
  const ready = checkTarget(dependencies, planned);
  return ready.ok ? ok(planned.tools) : ready;
}
