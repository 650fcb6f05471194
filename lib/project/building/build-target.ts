import type { JobContext } from "../../core/jobs.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { sizeText } from "../../core/sizes.ts";
import type { Host } from "../../ports/host.ts";
import {
  bringsNode,
  type BuildTarget,
  type LookOptions,
  type Preflight,
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
import { missingNode, type NodeDependencies } from "./app-node.ts";
import { capacitorProbe, capacitorSteps, type ProjectLack, projectLacks } from "./capacitor.ts";
import { embedBundle, type EmbedDependencies } from "./embedded-manifest.ts";
import { forPlayers, playersReason } from "./for-players.ts";
import { type ReadyStep, readyStep, runStep, shownCommand } from "./run-step.ts";

/** The dependencies of building a target. */
export interface TargetDependencies
  extends BuildDependencies, EnvironmentDependencies, EmbedDependencies {
  /** The machine: where programs are, and the environment of a build. */
  readonly host: BuildDependencies["host"] & EnvironmentDependencies["host"];
  /** Measures waits, and ends them. */
  readonly clock: EnvironmentDependencies["clock"] & EmbedDependencies["clock"];
  /** Finds the tools, and says which are missing. */
  readonly toolchain: BuildTools & Pick<Toolchain, "preflight">;
}

/** A build that can begin. */
export interface TargetPlan {
  readonly root: string;
  readonly config: ProjectConfig;
  readonly target: BuildTarget;
  /** The commands after the web build. */
  readonly steps: readonly Command[];
  /** Why the game goes without the device bridge that the project asks for, if it does (DEV-47). */
  readonly unbridged?: string;
}

/** A build that can begin, with how it looks for its tools: {@linkcode neededTools}. */
export interface CheckedPlan extends TargetPlan {
  readonly tools: LookOptions;
}

/**
 * Reads what a build of the target would run; for `web` that is the web build alone.
 *
 * @returns 422 `no-build-steps` for a phone's target without steps.
 */
export function planTarget(
  root: string,
  config: ProjectConfig,
  target: BuildTarget,
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
      JSON.stringify({ build: { [target]: { steps: capacitorSteps(target) } } })
    }`,
  );
}

/** The dependencies of looking for what a build lacks. */
export type CheckDependencies = NodeDependencies & Pick<TargetDependencies, "toolchain" | "files">;

/** What a build lacks. */
export interface BuildLacks {
  /** Of the machine; first a Node that the app starts on. */
  readonly preflight: Preflight;
  /** Of the project's folder. */
  readonly lacks: readonly ProjectLack[];
}

/** Looks for what a build lacks. */
export async function lacksOf(
  dependencies: CheckDependencies,
  plan: CheckedPlan,
): Promise<BuildLacks> {
  const { toolchain, files } = dependencies;
  const preflight = await toolchain.preflight(plan.target, plan.tools);
  const lacks = await projectLacks(files, plan);
  const node = preflight.missing.some(({ id }) => id === "npm")
    ? null
    : await missingNode(dependencies, plan);
  if (node === null) return { preflight, lacks };
  return {
    preflight: { ...preflight, ready: false, missing: [node, ...preflight.missing] },
    lacks,
  };
}

/**
 * Whether everything that the target requires is there (BUILD-2), on the machine and in the project: it
 * fails before any step. Node alone may be missing where the editor brings it: the build then begins
 * with it.
 *
 * @returns 422 `preflight-failed` that names everything that is missing, why it does not count, and the
 * next step.
 */
export async function checkTarget(
  dependencies: CheckDependencies,
  plan: CheckedPlan,
): Promise<Result<Preflight, Problem>> {
  const { host } = dependencies;
  const { preflight, lacks } = await lacksOf(dependencies, plan);
  const bringsAll = bringsNode({ host }) &&
    preflight.missing.every(({ id, canAutoInstall }) => id === "npm" && canAutoInstall);
  return (preflight.ready || bringsAll) && lacks.length === 0
    ? ok(preflight)
    : preflightFailed(preflight, lacks, host.platform);
}

/**
 * Builds a target whose preflight is ready (BUILD-3): the web build, then the target's
 * own steps, each when the one before it has succeeded. Before anything of the project is touched
 * every step's program is looked up, and Capacitor is seen to start, which not every Node is enough
 * for: a build that would end at its second step does not begin.
 *
 * @returns What was built; 422 `toolchain-unresolved`, `capacitor-not-started`, and what {@linkcode readyStep},
 * {@linkcode buildWeb}, {@linkcode embedBundle} and {@linkcode runStep} refuse.
 */
export async function buildTarget(
  dependencies: TargetDependencies,
  { root, config, target, steps, tools, unbridged }: CheckedPlan,
  context: JobContext,
): Promise<Result<JsonObject, Problem>> {
  const total = steps.length + 1;
  const begin = (done: number, label: string) => {
    context.log(label);
    context.progress(done, total, "steps", label);
  };
  const { command, out } = config.build.web;
  const how = command === undefined ? "the game" : shownCommand(command);
  const runsNothing = command === undefined && steps.length === 0;
  const env = runsNothing ? ok({}) : await buildEnvironment(dependencies, context, root);
  if (!env.ok) return env;
  const { log: onLine, signal } = context;
  const readyAt = async (index: number, command: Command) => {
    const [program] = command;
    const found = await stepEnvironment(dependencies, env.value, { target, program, tools });
    if (!found.ok) return found;
    const setting = `build.${target}.steps[${index}]`;
    const step = { command, setting, root, env: found.value, onLine, signal };
    return await readyStep(dependencies, step);
  };
  const canBegin = await checkSteps(dependencies, { root, config, target, steps }, {
    readyAt,
    log: context.log,
  });
  if (!canBegin.ok) return canBegin;
  begin(0, `build: ${how} (into ${out})`);
  if (unbridged !== undefined) context.log(`build: ${unbridged}`);
  const web = await buildWeb(dependencies, { root, config, env: env.value, onLine, signal });
  if (!web.ok) return web;
  if (target !== "web") {
    const embedded = await embedBundle(dependencies, web.value.folder, config, context);
    if (!embedded.ok) return embedded;
  }
  for (const [index, command] of steps.entries()) {
    begin(index + 1, `${target} ${index + 1} of ${steps.length}: ${shownCommand(command)}`);
    const ready = await readyAt(index, command); // what is there may have changed since
    if (!ready.ok) return ready;
    const run = await runStep(dependencies, ready.value);
    if (!run.ok) return run;
  }
  context.progress(total, total, "steps", "built");
  return ok({ target, out, steps: steps.length });
}

/**
 * Whether every step can be started, as far as that is known before the first: its program is there,
 * or a command before it may add it, and Capacitor runs on the Node that the build has.
 */
async function checkSteps(
  dependencies: TargetDependencies,
  { root, config, target, steps }: TargetPlan,
  { readyAt, log }: Pick<JobContext, "log"> & {
    readonly readyAt: (index: number, command: Command) => Promise<Result<ReadyStep, Problem>>;
  },
): Promise<Result<null, Problem>> {
  const { command } = config.build.web;
  for (const [index, step] of steps.entries()) {
    const ready = await readyAt(index, step);
    if (ready.ok) continue;
    const before = [...(command === undefined ? [] : [command]), ...steps.slice(0, index)];
    if (ready.error.code !== "no-program" || !mayBeMade(step, before)) return ready;
    log(`build: ${ready.error.detail}; a command before it may add it`);
  }
  const probe = await capacitorProbe(dependencies.files, { root, steps });
  if (probe === null) return ok(null);
  log(`${target}: ${shownCommand(probe.command)}`);
  const ready = await readyAt(probe.index, probe.command);
  if (!ready.ok) return ready;
  const run = await runStep(dependencies, ready.value);
  return run.ok ? ok(null) : notStarting(target, run.error);
}

/** Words of commands that add programs to a project: `npm ci`, `cap add`, `expo prebuild`, `gradle wrapper`. */
const ADDS = /^(?:add|ci|create|generate|i|init|install|prebuild|wrapper)$/;

/** Whether a command before it may add a step's program to the project: then only running them tells. */
function mayBeMade([program]: Command, before: readonly Command[]): boolean {
  return /[\\/]/.test(program) && before.some((words) => words.some((word) => ADDS.test(word)));
}

function notStarting(target: BuildTarget, { detail }: Problem): Result<never, Problem> {
  return refuse(
    422,
    "capacitor-not-started",
    `Cannot build ${target}, as Capacitor does not start: ${detail}`,
    "Correct what it says. For another Node install that, or set SVC_PROVISION_NODE=1: then Slipway " +
      "brings its own; then build again",
  );
}

/**
 * A preflight that is not ready, as the problem of a build: everything that is missing, why it does not
 * count, and what mends it, for agents and for a terminal alike.
 */
function preflightFailed(
  { target, missing, bytes }: Preflight,
  ofProject: readonly ProjectLack[],
  platform: Host["platform"],
): Result<never, Problem> {
  const lacks = [
    ...missing.map(({ id, reason }) => `${id} (${reason})`),
    ...ofProject.map(({ name, reason }) => `${name} (${reason})`),
  ].join("; ");
  const offered = missing.filter(({ canAutoInstall }) => canAutoInstall).map(({ id }) => id);
  const size = bytes > 0 ? `, about ${sizeText(bytes)} to download` : "";
  const install = `install ${offered.join(", ")} ` +
    `(install_tool ${offered.map((id) => `id=${id}`).join(", then ")}${size}); on a terminal: `;
  const guided = missing.filter(({ canAutoInstall }) => !canAutoInstall)
    .map(({ id }) => `get_tool_guide id=${id}`);
  const guides = guided.length > 0 ? ` (${guided.join(", ")}: the steps)` : "";
  const ofMachine = `${offered.length > 0 ? install : ""}${
    missing.map(({ fix }) => fix).join("; ")
  }`;
  const inProject = ofProject.length === 0
    ? ""
    : `in the project's folder: ${ofProject.map(({ fix }) => fix).join("; ")}`;
  const fixes = [...(missing.length > 0 ? [ofMachine] : []), inProject].filter(Boolean).join("; ");
  const isElsewhere = target === "ios" && platform !== "darwin";
  const hint = isElsewhere
    ? `Build it on a Mac: ${fixes}${guides}`
    : `${missing.length > 0 ? "Open Build Support: " : ""}${fixes}; then build again${guides}`;
  return refuse(
    422,
    "preflight-failed",
    `Cannot build ${target}: it lacks ${lacks}`,
    hint.charAt(0).toUpperCase() + hint.slice(1),
  );
}
