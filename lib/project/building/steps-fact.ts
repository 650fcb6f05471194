import { escapeInvisible } from "../../core/invisible.ts";
import type { Problem } from "../../core/problem.ts";
import { ok } from "../../core/result.ts";
import type { BuildTarget, LookOptions, PhoneTarget } from "../../toolchain/mod.ts";
import type { Command, ProjectConfig } from "../config/config.ts";
import { stepEnvironment, type StepEnvironmentDependencies } from "./build-environment.ts";
import { capacitorIn, copiesInto } from "./capacitor-command.ts";
import { readyStep, type StepDependencies } from "./run-step.ts";
import type { Fact } from "./plan/fact.ts";

/** The commands of a build. */
export interface BuildCommands {
  /** The project's folder, absolute. */
  readonly root: string;
  readonly config: Pick<ProjectConfig, "build">;
  readonly target: BuildTarget;
  readonly steps: readonly Command[];
}

/** How the programs of commands are found. */
interface CommandsLook {
  readonly env: Readonly<Record<string, string>>;
  readonly tools: LookOptions;
  /** The folder of the app's own project, below the project's. */
  readonly appFolder: string;
}

/** Maximum characters of all commands. */
const MAX_SHOWN = 300;

/**
 * Describes the commands of a build; without any, Slipway builds the game itself. Programs are looked up as
 * the build will; nothing is run.
 *
 * @param look How programs are found; `null` before that is known.
 */
export async function commandsFact(
  dependencies: StepDependencies & StepEnvironmentDependencies,
  build: BuildCommands,
  look: CommandsLook | null,
): Promise<Fact> {
  const { config, target, steps } = build;
  const { command } = config.build.web;
  const all = command === undefined ? steps : [command, ...steps];
  const value = all.length === 0
    ? "Slipway builds the game"
    : all.map((one) => one.join(" ")).join("; ");
  const settings = [
    ...(command === undefined ? [] : ["build.web.command"]),
    ...(steps.length === 0 ? [] : [`build.${target}.steps`]),
  ];
  const from = settings.length === 0
    ? "Slipway"
    : `${settings.join(" and ")} in project.config.json`;
  const fact = { name: "steps", value: escapeInvisible(value.slice(0, MAX_SHOWN)), from } as const;
  const problem = look === null ? null : await unstartable(dependencies, build, look);
  return problem === null
    ? { ...fact, ok: true }
    : { ...fact, ok: false, why: problem.detail, fix: problem.hint };
}

/** Words of commands that add programs to a project: `npm ci`, `cap add`, `expo prebuild`, `gradle wrapper`. */
const ADDS = /^(?:add|ci|create|generate|i|init|install|prebuild|wrapper)$/;

/** Whether a command before it may add a step's program to the project: then only running them shows it. */
export function mayBeMade([program]: Command, before: readonly Command[]): boolean {
  return /[\\/]/.test(program) && before.some((words) => words.some((word) => ADDS.test(word)));
}

/** Whether a step of the project's own may put the web build where Capacitor copies it from. */
export function hasOwnStepBeforeCopy(steps: readonly Command[], target: PhoneTarget): boolean {
  const copy = steps.findIndex((step) => copiesInto(step, target));
  const before = copy < 0 ? steps : steps.slice(0, copy);
  return before.some((step) => capacitorIn(step) === null);
}

/** The first command of a build whose program cannot be started; `null` if all can. */
async function unstartable(
  dependencies: StepDependencies & StepEnvironmentDependencies,
  { root, config, target, steps }: BuildCommands,
  { env, tools, appFolder }: CommandsLook,
): Promise<Problem | null> {
  const { command } = config.build.web;
  const all: readonly (readonly [string, Command])[] = [
    ...(command === undefined ? [] : [["build.web.command", command] as const]),
    ...steps.map((step, index) => [`build.${target}.steps[${index}]`, step] as const),
  ];
  for (const [index, [setting, each]] of all.entries()) {
    const [program] = each;
    const isWeb = command !== undefined && index === 0;
    const found = isWeb
      ? ok({ ...env })
      : await stepEnvironment(dependencies, env, { target, program, tools });
    if (!found.ok) return found.error;
    const app = isWeb || target === "web" ? undefined : { folder: appFolder, target };
    const step = { command: each, setting, root, app, env: found.value, onLine: () => undefined };
    const ready = await readyStep(dependencies, step);
    if (ready.ok) continue;
    const before = all.slice(0, index).map(([, one]) => one);
    if (ready.error.code !== "no-program" || !mayBeMade(each, before)) return ready.error;
  }
  return null;
}
