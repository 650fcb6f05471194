import type { Files } from "../../ports/files.ts";
import type { BuildTarget, PhoneTarget } from "../../toolchain/mod.ts";
import type { Command, ProjectConfig } from "../config/config.ts";
import { appFacts, appFolderOf } from "./app-facts.ts";
import { askForFolders } from "./app-report.ts";
import { isAsked, projectLacks, readAppSettings } from "./capacitor.ts";
import { capacitorIn } from "./capacitor-command.ts";
import { type AppFolders, lacksByReport } from "./capacitor-report.ts";
import { packageManagerOf } from "./package-manager.ts";
import { type Facts, factsOf } from "./plan/fact.ts";
import type { ProjectLack } from "./project-lack.ts";
import type { StepDependencies } from "./run-step.ts";
import { hasOwnStepBeforeCopy } from "./steps-fact.ts";

// The part of a plan that is about the Capacitor app: its folders, and what is missing in the project.

/** The dependencies of {@linkcode planApp}. */
export interface AppDependencies extends Omit<StepDependencies, "files"> {
  readonly files: Files;
}

/** A build whose app is planned. */
export interface AppBuild {
  /** The project's folder, absolute. */
  readonly root: string;
  readonly config: Pick<ProjectConfig, "name" | "build">;
  readonly target: BuildTarget;
  readonly steps: readonly Command[];
}

/** How Capacitor is asked. */
export interface AppLook {
  /** Whether it may be run. */
  readonly asks: boolean;
  /** Why it cannot be run, as the end of a sentence; `null` if it can. */
  readonly barred: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** Capacitor's report, if it is known already. */
  readonly report?: AppFolders | undefined;
}

/** The plan of an app. */
export interface AppPlan {
  /** The folder of the app's own project, below the project's. */
  readonly folder: string;
  readonly facts: Facts;
  readonly lacks: readonly ProjectLack[];
}

/** Plans the app of a build; without Capacitor in its steps the app is not known. */
export async function planApp(
  dependencies: AppDependencies,
  build: AppBuild,
  look: AppLook,
): Promise<AppPlan> {
  const { files } = dependencies;
  const { root, target, steps } = build;
  if (target === "web" || !steps.some((step) => capacitorIn(step) !== null)) {
    return { folder: target, facts: factsOf([]), lacks: [] };
  }
  const settings = await readAppSettings(files, root);
  const { report, silent, problem } = await reportOf(dependencies, { root, target, steps }, look);
  const lacks = [
    ...await projectLacks(files, build),
    ...(problem === null ? [] : [problem]),
    ...(report === null || !isAsked(settings)
      ? []
      : await lacksOfReport(files, build, { report, target })),
  ];
  const realRoot = await files.realPath(root) ?? root;
  const app = { root, realRoot, target, settings, report, silent, lacks };
  return { folder: appFolderOf(app), facts: appFacts(app), lacks };
}

/** The report of an app's Capacitor, or why there is none, with the problem that stops a build, if any. */
interface Answer {
  readonly report: AppFolders | null;
  readonly silent: string | null;
  readonly problem: ProjectLack | null;
}

async function reportOf(
  dependencies: AppDependencies,
  { root, target, steps }: Omit<AppBuild, "config"> & { readonly target: PhoneTarget },
  { report, asks, env, barred }: AppLook,
): Promise<Answer> {
  const known = { report: report ?? null, silent: null, problem: null };
  if (report !== undefined || !asks) return known;
  if (barred !== null) return { ...known, silent: barred };
  const asked = await askForFolders(dependencies, { root, target, steps, env });
  switch (asked.kind) {
    case "folders":
      return { ...known, report: asked.folders };
    case "silent":
      return { ...known, silent: asked.why };
    case "not-started": {
      const reason = `Capacitor does not start: ${asked.reason}`;
      const problem = { name: "@capacitor/cli", reason, fix: asked.fix };
      return { ...known, silent: "and it does not start", problem };
    }
  }
}

async function lacksOfReport(
  files: Files,
  { root, config, steps }: AppBuild,
  { report, target }: { readonly report: AppFolders; readonly target: PhoneTarget },
): Promise<readonly ProjectLack[]> {
  if (hasOwnStepBeforeCopy(steps, target)) return [];
  const { out } = config.build.web;
  const path = `${await files.realPath(root) ?? root}/${out}`;
  const manager = await packageManagerOf(files, root);
  return await lacksByReport(files, report, {
    ...{ target, steps, manager },
    out: { setting: out, path },
  });
}
