import type { JobContext } from "../../core/jobs.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import type { BuildTarget, PhoneTarget } from "../../toolchain/mod.ts";
import type { Command, ProjectConfig } from "../config/config.ts";
import { compareCopy, type CopyDependencies } from "./app-copy.ts";
import { fixOfStart } from "./app-report.ts";
import { capacitorProbe } from "./capacitor.ts";
import { copiesInto } from "./capacitor-command.ts";
import { type AppFolders, lacksByReport, parseAppFolders } from "./capacitor-report.ts";
import { throughScripts } from "./capacitor-script.ts";
import { packageManagerOf } from "./package-manager.ts";
import { hasOwnStepBeforeCopy, mayBeMade } from "./steps-fact.ts";
import { preflightFailed } from "./preflight-failed.ts";
import { type ReadyStep, runStep, shownCommand, type StepDependencies } from "./run-step.ts";

// The steps of a target, after its web build.

/** The dependencies of running the steps of a target. */
export interface StepsDependencies extends Omit<StepDependencies, "files"> {
  readonly files: Files;
  readonly hashing: CopyDependencies["hashing"];
  readonly host: StepDependencies["host"] & Pick<Host, "platform">;
}

/** The steps that a build runs. */
export interface TargetSteps {
  /** The project's folder, absolute. */
  readonly root: string;
  readonly config: Pick<ProjectConfig, "build">;
  readonly target: BuildTarget;
  readonly steps: readonly Command[];
}

/** A build that is running. */
export interface Running {
  readonly context: JobContext;
  /** Looks up the program of a step, in the environment that the step has. */
  readyAt(index: number, command: Command): Promise<Result<ReadyStep, Problem>>;
}

/** Reports that a step starts. @param step.index 0 for the web build. */
export function beginStep(
  { log, progress }: Pick<JobContext, "log" | "progress">,
  { steps }: Pick<TargetSteps, "steps">,
  { index, label }: { readonly index: number; readonly label: string },
): void {
  log(label);
  progress(index, steps.length + 1, "steps", label);
}

/**
 * Checks that every step can be started, as far as this is known before the first: its program exists, or
 * a command before it may add it; Capacitor runs on the Node of the build, copies the web build that is
 * made, and has the platform's own project.
 *
 * @returns The folders that Capacitor reports, if there is a Capacitor; 422 `capacitor-not-started` or
 * `preflight-failed`, and what looking up a program refuses.
 */
export async function checkSteps(
  dependencies: StepsDependencies,
  plan: TargetSteps,
  running: Running,
): Promise<Result<AppFolders | null, Problem>> {
  const { root, config, target, steps } = plan;
  const { command, out } = config.build.web;
  for (const [index, step] of steps.entries()) {
    const ready = await running.readyAt(index, step);
    if (ready.ok) continue;
    const before = [...(command === undefined ? [] : [command]), ...steps.slice(0, index)];
    if (ready.error.code !== "no-program" || !mayBeMade(step, before)) return ready;
    running.context.log(`build: ${ready.error.detail}; a command before it may add it`);
  }
  if (target === "web") return ok(null);
  const folders = await askFolders(dependencies, { ...plan, target }, running);
  if (!folders.ok || folders.value === null) return folders;
  const seen = await throughScripts(dependencies.files, root, steps);
  if (hasOwnStepBeforeCopy(seen, target)) return folders;
  const path = `${await dependencies.files.realPath(root) ?? root}/${out}`;
  const lacks = await lacksByReport(dependencies.files, folders.value, {
    target,
    steps: seen,
    manager: await packageManagerOf(dependencies.files, root),
    out: { setting: out, path },
  });
  const nothing = { target, ready: true, missing: [], bytes: 0 };
  return lacks.length === 0 ? folders : preflightFailed(nothing, lacks, dependencies.host.platform);
}

/** Asks Capacitor for the app's folders; `null` without Capacitor, or if it does not report them. */
async function askFolders(
  dependencies: StepsDependencies,
  { root, target, steps }: TargetSteps & { readonly target: PhoneTarget },
  { context, readyAt }: Running,
): Promise<Result<AppFolders | null, Problem>> {
  const probe = await capacitorProbe(dependencies.files, { root, steps });
  if (probe === null) return ok(null);
  context.log(`${target}: ${shownCommand(probe.command)}`);
  const ready = await readyAt(probe.index, probe.command);
  if (!ready.ok) return ready;
  const { step } = ready.value;
  const quiet = { ...ready.value, step: { ...step, onLine: () => undefined } };
  const run = await runStep(dependencies, quiet);
  if (!run.ok) return notStarting(target, run.error);
  const folders = parseAppFolders(run.value.stdout, target);
  if (folders === null) {
    context.log(
      `${target}: Capacitor reports no folders: the app is not compared with the web build`,
    );
  }
  return ok(folders);
}

function notStarting(target: BuildTarget, { detail }: Problem): Result<never, Problem> {
  return refuse(
    422,
    "capacitor-not-started",
    `Cannot build ${target}, as Capacitor does not start: ${detail}`,
    `${fixOfStart(detail)}; then build again`,
  );
}

/**
 * Runs the steps in their order. After each that copied the web build into the app, the copy is compared
 * with it (BUILD-12).
 *
 * @returns What {@linkcode runStep} and {@linkcode compareCopy} refuse.
 */
export async function runSteps(
  dependencies: StepsDependencies,
  { folders: reported, built, ...plan }: TargetSteps & {
    readonly target: PhoneTarget;
    readonly built: string;
    readonly folders: AppFolders | null;
  },
  running: Running,
): Promise<Result<null, Problem>> {
  const { root, target, steps } = plan;
  const seen = await throughScripts(dependencies.files, root, steps);
  let folders = reported;
  for (const [index, command] of steps.entries()) {
    const label = `${target} ${index + 1} of ${steps.length}: ${shownCommand(command)}`;
    beginStep(running.context, plan, { index: index + 1, label });
    const ready = await running.readyAt(index, command); // programs may have changed since the check
    if (!ready.ok) return ready;
    const run = await runStep(dependencies, ready.value);
    if (!run.ok) return run;
    const call = seen[index] ?? command;
    if (!copiesInto(call, target)) continue;
    if (folders === null) {
      const asked = await askFolders(dependencies, plan, running); // a step may have installed Capacitor
      if (!asked.ok) return asked;
      folders = asked.value;
    }
    if (folders === null) continue;
    const { signal } = running.context;
    const compared = await compareCopy(dependencies, {
      ...{ target, built, folders, signal },
      command: call,
    });
    if (!compared.ok) return compared;
  }
  return ok(null);
}
