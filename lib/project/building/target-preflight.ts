import type { Problem } from "../../core/problem.ts";
import { ok } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import type {
  BuildTarget,
  LookOptions,
  MissingTool,
  PhoneTarget,
  Preflight,
  Toolchain,
  ToolId,
} from "../../toolchain/mod.ts";
import type { Command, ProjectConfig } from "../config/config.ts";
import { type NodeDependencies, nodeOf } from "./app-node.ts";
import { presentEnvironment } from "./build-environment.ts";
import { projectLacks, readSettings } from "./capacitor.ts";
import { capacitorIn } from "./capacitor-command.ts";
import { type AppFolders, lacksByReport } from "./capacitor-report.ts";
import { throughScripts } from "./capacitor-script.ts";
import { checkOutFolder } from "./out-folder.ts";
import { type PackageManager, packageManagerOf, runCommand } from "./package-manager.ts";
import type { ProjectLack } from "./project-lack.ts";
import { appFacts, appFolderOf } from "./app-facts.ts";
import { askForFolders } from "./app-report.ts";
import {
  androidLook,
  type AndroidProject,
  localProperties,
  planAndroid,
  readAndroidProject,
} from "./android-plan.ts";
import { type Fact, type FactName, type Facts, factsOf, inOrder } from "./plan/fact.ts";
import { commandsFact, hasOwnStepBeforeCopy } from "./steps-fact.ts";

// BUILD-14: whether a build can start has one answer, which every place shows: what it will use, what it
// lacks, and what is not known before it runs.

/** Whether a build of a project can start, and what it will use. */
export interface TargetPreflight extends Preflight, Facts {
  /** Missing or wrong parts of the project's folder, in the order in which to fix them; absent if none. */
  readonly lacks?: readonly ProjectLack[];
}

/** A build that is planned. */
export interface PlannedBuild {
  /** The project's folder, absolute. */
  readonly root: string;
  readonly config: ProjectConfig;
  readonly target: BuildTarget;
  readonly steps: readonly Command[];
}

/**
 * The programs that a preflight may run: `none` while a project is only looked at; `node` for a build, which
 * asks Capacitor by itself; `all` for a person who asks on a terminal.
 */
export type ProgramsRun = "none" | "node" | "all";

/** How a preflight looks. */
export interface PreflightLook {
  /** How tools are looked for. */
  readonly tools: LookOptions;
  readonly programs: ProgramsRun;
  /** What Capacitor reported already. */
  readonly report?: AppFolders | undefined;
}

/** The dependencies of a preflight. */
export interface PreflightDependencies extends NodeDependencies {
  readonly files: Files;
  readonly toolchain: Pick<
    Toolchain,
    "detect" | "preflight" | "systemToolchainAllowed" | "withToolOnPath"
  >;
}

/** The answer of {@linkcode preflightBuild}. */
export interface PlannedPreflight {
  readonly preflight: TargetPreflight;
  /** How the steps of the build find the tools. */
  readonly tools: LookOptions;
  /** Set if nothing but the SDK of Gradle keeps the build from starting. */
  readonly problem?: Problem;
}

/** Finds out whether a build can start, and what it will use. Changes nothing. */
export async function preflightBuild(
  dependencies: PreflightDependencies,
  build: PlannedBuild,
  look: PreflightLook,
): Promise<PlannedPreflight> {
  const { files, toolchain } = dependencies;
  const { root, config, target, steps } = build;
  const env = await presentEnvironment(dependencies, { root, runsIn: look.tools.runsIn });
  const node = await nodeOf(dependencies, { root, steps, env, runs: look.programs !== "none" });
  const seen = await throughScripts(files, root, steps);
  const isOld = node.missing !== undefined;
  const app = await appOf(dependencies, { ...build, steps: seen }, { ...look, env, isOld });
  const android = target === "android"
    ? await readAndroidProject(dependencies, { root, config, steps: seen, appFolder: app.folder })
    : null;
  const tools = android === null ? look.tools : androidLook(android, look.tools);
  const found = await toolchain.preflight(target, tools);
  const hasNpm = !found.missing.some(({ id }) => id === "npm");
  const missing = hasNpm && node.missing !== undefined
    ? [node.missing, ...found.missing]
    : found.missing;
  const preflight = { ...found, missing };
  const manager = await packageManagerOf(files, root);
  const migrate = runCommand(manager, ["cap", "migrate"]).join(" ");
  const known = { preflight, look: tools, migrate };
  const facts = joined([
    app.facts,
    factsOf(hasCommands(build) ? [managerFact(manager, app.lacks), node.fact] : []),
    ...(android === null ? [] : [await planAndroid(dependencies, android, known)]),
  ]);
  // A build tells by itself what stands in the way of its folder and its programs.
  const isBuild = look.programs === "node";
  const out = isBuild ? ok(null) : await checkOutFolder(files, root, config);
  const lacks = [
    ...(out.ok ? [] : [asLack(`${config.build.web.out}/`, out.error)]),
    ...app.lacks,
    ...lacksOfFacts(facts, { missing, android }),
  ];
  const isLooked = !isBuild && missing.length === 0 && lacks.length === 0;
  const last = await commandsFact(dependencies, build, isLooked ? { env, tools } : null);
  if (!last.ok) lacks.push(lackOf(last));
  const ready = missing.length === 0 && lacks.length === 0;
  return {
    preflight: {
      ...preflight,
      ready,
      ...(lacks.length > 0 && { lacks }),
      ...inOrder(joined([facts, factsOf([last])])),
    },
    tools,
    ...onlySdk(android, { missing, lacks }),
  };
}

function hasCommands({ config, steps }: PlannedBuild): boolean {
  return config.build.web.command !== undefined || steps.length > 0;
}

function managerFact({ name, from }: PackageManager, lacks: readonly ProjectLack[]): Fact {
  const fact = {
    name: "packageManager",
    value: name,
    from: from ?? "no file names another",
  } as const;
  const lack = lacks.find((each) => each.name === "node_modules");
  return lack === undefined
    ? { ...fact, ok: true }
    : { ...fact, ok: false, why: lack.reason, fix: lack.fix };
}

interface AppPlan {
  /** The folder of the app's own project, below the project's. */
  readonly folder: string;
  readonly facts: Facts;
  readonly lacks: readonly ProjectLack[];
}

async function appOf(
  dependencies: PreflightDependencies,
  build: PlannedBuild,
  { report: known, programs, env, isOld }: PreflightLook & {
    readonly env: Readonly<Record<string, string>>;
    /** Whether Capacitor does not start on this Node. */
    readonly isOld: boolean;
  },
): Promise<AppPlan> {
  const { files } = dependencies;
  const { root, target, steps } = build;
  if (target === "web" || !steps.some((step) => capacitorIn(step) !== null)) {
    return { folder: target, facts: factsOf([]), lacks: [] };
  }
  const lacks = await projectLacks(files, build);
  const settings = await readSettings(files, root);
  const asked = known === undefined && programs === "all" && !isOld
    ? await askForFolders(dependencies, { root, target, steps, env })
    : { kind: "folders", folders: known ?? null } as const;
  const report = asked.kind === "folders" ? asked.folders : null;
  const more = asked.kind === "not-started"
    ? [notStarted(asked.reason)]
    : report === null || settings !== "programmed"
    ? []
    : await lacksOfReport(files, build, { report, target });
  const silent = asked.kind === "silent" ? "Capacitor reports no settings" : null;
  const all = [...lacks, ...more];
  const app = { root, target, settings, report, silent, lacks: all };
  return { folder: appFolderOf(app), facts: appFacts(app), lacks: all };
}

async function lacksOfReport(
  files: Files,
  { root, config, steps }: PlannedBuild,
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

function notStarted(reason: string): ProjectLack {
  return {
    name: "@capacitor/cli",
    reason: `Capacitor does not start: ${reason}`,
    fix: "Correct what it says",
  };
}

/** Facts by which tools are judged: what lacks of them is told once. */
const TOOL_OF: Readonly<Partial<Record<FactName, ToolId>>> = {
  jdk: "java",
  sdk: "android-sdk",
  compileSdk: "android-sdk",
  buildTools: "android-sdk",
};

/** Facts that a part of the project that is told already, or a tool, decides. */
const TOLD: readonly FactName[] = ["webDir", "platformDir", "appId", "packageManager", "node"];

/** What facts say that a build cannot use, as lacks of the project. */
function lacksOfFacts(
  { plan }: Facts,
  { missing, android }: {
    readonly missing: readonly MissingTool[];
    readonly android: AndroidProject | null;
  },
): readonly ProjectLack[] {
  const sdk = android?.sdk;
  return plan.flatMap((fact) => {
    const { name } = fact;
    if (fact.ok || TOLD.includes(name)) return [];
    if (name === "sdk" && android !== null && sdk?.ok === false) {
      return [asLack(localProperties(android.start), sdk.error)];
    }
    return missing.some(({ id }) => id === TOOL_OF[name]) ? [] : [lackOf(fact)];
  });
}

/** Names of facts in a sentence. */
const LABELS: Readonly<Partial<Record<FactName, string>>> = {
  gradle: "Gradle",
  androidPlugin: "Android Gradle plugin",
  buildTools: "build tools",
};

function lackOf({ name, value, from, why = "", fix = "" }: Fact): ProjectLack {
  const label = LABELS[name];
  const what = label === undefined || value === "" ? "" : `${label} ${value}: `;
  return { name: from, reason: what + why, fix };
}

function asLack(name: string, { detail, hint }: Problem): ProjectLack {
  return { name, reason: detail, fix: hint };
}

function joined(all: readonly Facts[]): Facts {
  return {
    plan: all.flatMap(({ plan }) => plan),
    unknown: all.flatMap(({ unknown }) => unknown),
  };
}

function onlySdk(
  android: AndroidProject | null,
  { missing, lacks }: {
    readonly missing: readonly MissingTool[];
    readonly lacks: readonly ProjectLack[];
  },
): { readonly problem?: Problem } {
  const isOnly = missing.length === 0 && lacks.length === 1;
  return isOnly && android?.sdk.ok === false ? { problem: android.sdk.error } : {};
}
