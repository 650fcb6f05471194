import type { Problem } from "../../core/problem.ts";
import { ok } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import type {
  BuildTarget,
  LookOptions,
  MissingTool,
  Preflight,
  Toolchain,
  ToolId,
} from "../../toolchain/mod.ts";
import type { Command, ProjectConfig } from "../config/config.ts";
import { type NodeDependencies, nodeOf } from "./app-node.ts";
import { presentEnvironment } from "./build-environment.ts";
import type { AppFolders } from "./capacitor-report.ts";
import { throughScripts } from "./capacitor-script.ts";
import { checkOutFolder } from "./out-folder.ts";
import { type PackageManager, packageManagerOf, runCommand } from "./package-manager.ts";
import type { ProjectLack } from "./project-lack.ts";
import { planApp } from "./app-plan.ts";
import {
  androidLook,
  type AndroidProject,
  localProperties,
  planAndroid,
  readAndroidProject,
} from "./android-plan.ts";
import { type Fact, type FactName, type Facts, factsOf, inOrder } from "./plan/fact.ts";
import { commandsFact } from "./steps-fact.ts";

// BUILD-14: whether a build can start has one answer, which every place shows: what it will use, what it
// lacks, and what is not known before it runs.

/** Answer to whether a build of a project can start, with its plan. */
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
 * The programs that a preflight may run: `none` for a project that is only inspected; `node` for a build, which
 * asks Capacitor itself; `all` for a person on a terminal.
 */
export type ProgramsRun = "none" | "node" | "all";

/** Options of a preflight. */
export interface PreflightLook {
  /** How tools are looked for. */
  readonly tools: LookOptions;
  readonly programs: ProgramsRun;
  /** The report of Capacitor, if it is known already. */
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
  /** The folder of the app's own project, below the project's or absolute. */
  readonly appFolder: string;
  /** Set if nothing but the SDK of Gradle keeps the build from starting. */
  readonly problem?: Problem;
}

/** Checks whether a build can start, and plans what it will use. Changes nothing. */
export async function preflightBuild(
  dependencies: PreflightDependencies,
  build: PlannedBuild,
  look: PreflightLook,
): Promise<PlannedPreflight> {
  const { files, toolchain } = dependencies;
  const { root, config, target, steps } = build;
  // The programs of tools answer slowly: they are asked while npm, Node and Capacitor are, and the toolchain
  // remembers their answers.
  const asked = target === "web" ? null : toolchain.preflight(target, look.tools);
  asked?.catch(() => undefined); // it is awaited below
  const where = { root, runsIn: look.tools.runsIn };
  const { env, hasNpm: mayAsk } = await presentEnvironment(dependencies, where);
  const node = await nodeOf(dependencies, {
    root,
    steps,
    env,
    runs: hasCommands(build) && look.programs !== "none",
  });
  const barred = !mayAsk
    ? "and there is no Node for it"
    : node.missing !== undefined
    ? "and it does not start on this Node"
    : null;
  const howAsked = { asks: look.programs === "all", barred, env, report: look.report };
  const seen = await throughScripts(files, root, steps);
  const app = await planApp(dependencies, { ...build, steps: seen }, howAsked);
  const android = target === "android"
    ? await readAndroidProject(dependencies, {
      ...{ root, config, steps: seen, appFolder: app.folder },
      outside: look.programs !== "none",
    })
    : null;
  look.tools.signal?.throwIfAborted();
  const tools = android === null ? look.tools : androidLook(android, look.tools);
  const early = await asked;
  const found = early !== null && tools === look.tools
    ? early
    : await toolchain.preflight(target, tools);
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
  // A build itself checks its out folder and its programs.
  const isBuild = look.programs === "node";
  const out = isBuild ? ok(null) : await checkOutFolder(files, root, config);
  const lacks = [
    ...(out.ok ? [] : [asLack(`${config.build.web.out}/`, out.error)]),
    ...app.lacks,
    ...lacksOfFacts(facts, { missing, android }),
  ];
  const isLooked = !isBuild && missing.length === 0 && lacks.length === 0;
  const last = await commandsFact(
    dependencies,
    build,
    isLooked ? { env, tools, appFolder: app.folder } : null,
  );
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
    appFolder: app.folder,
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

/** Tools that facts are about: a missing tool is reported once. */
const TOOL_OF: Readonly<Partial<Record<FactName, ToolId>>> = {
  jdk: "java",
  sdk: "android-sdk",
  compileSdk: "android-sdk",
  buildTools: "android-sdk",
};

/** Facts whose problem is reported already, as a missing part of the project or a missing tool. */
const TOLD: readonly FactName[] = ["webDir", "platformDir", "appId", "packageManager", "node"];

/** Converts facts that a build cannot use to lacks of the project. */
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
