import type { Problem } from "../../core/problem.ts";
import { attempt } from "../../core/attempt.ts";
import type { Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import { hostPaths } from "../../programs/mod.ts";
import type {
  Detection,
  LookOptions,
  NamedFolder,
  Preflight,
  Toolchain,
  ToolSource,
} from "../../toolchain/mod.ts";
import type { Command, ProjectConfig } from "../config/config.ts";
import { findGradleSdk } from "./gradle-sdk.ts";
import {
  androidFacts,
  type AndroidMachine,
  buildToolsOf,
  type FoundFolder,
} from "./plan/android-facts.ts";
import type { Facts } from "./plan/fact.ts";
import { readGradleFiles, readUserFile } from "./plan/gradle-files.ts";
import { type GradleProject, inFolder, parseGradleProject } from "./plan/gradle-project.ts";
import { type GradleStart, gradleStartOf } from "./gradle-run.ts";

/** The dependencies of planning an Android build. */
export interface AndroidDependencies {
  readonly files: Files;
  readonly host: Pick<Host, "platform" | "env" | "home">;
  readonly toolchain: Pick<Toolchain, "detect" | "preflight">;
}

/** An Android build. */
export interface AndroidBuild {
  /** The project's folder, absolute. */
  readonly root: string;
  readonly config: Pick<ProjectConfig, "build">;
  readonly steps: readonly Command[];
  /** The folder of the app's own project, below the project's. */
  readonly appFolder: string;
}

/** What the files of an Android build say, before any tool is looked for. */
export interface AndroidProject {
  readonly start: GradleStart;
  readonly project: GradleProject;
  /** The SDK that Gradle takes before any other. */
  readonly sdk: Result<NamedFolder | null, Problem>;
}

/** Reads what an Android build says of its tools. */
export async function readAndroidProject(
  { files, host }: AndroidDependencies,
  { root, config, steps, appFolder }: AndroidBuild,
): Promise<AndroidProject> {
  const start = gradleStartOf(steps, { root, appFolder });
  const paths = hostPaths(host.platform);
  const userHome = host.env("GRADLE_USER_HOME") ?? paths.join(host.home, ".gradle");
  const from = paths.join(userHome, "gradle.properties");
  const text = await readUserFile(files, from);
  const read = parseGradleProject(await readGradleFiles(files, root, start.folder), {
    user: text === null ? null : { text, from },
    steps,
  });
  const configured = config.build.android?.compileSdk;
  const project = configured === undefined ? read : {
    ...read,
    compileSdk: { value: configured, from: "build.android.compileSdk in project.config.json" },
  };
  const folder = paths.join(root, start.folder);
  return { start, project, sdk: await findGradleSdk(files, host, { folder, sdkDir: read.sdkDir }) };
}

/** How the tools of an Android build are looked for: as Gradle will take them. */
export function androidLook(
  { project: { compileSdk, ...project }, sdk }: AndroidProject,
  tools: LookOptions,
): LookOptions {
  const named = sdk.ok ? sdk.value : null;
  return {
    ...tools,
    compileSdk: compileSdk?.value ?? tools.compileSdk,
    buildTools: buildToolsOf(project)?.value,
    ...(named !== null && { overrides: { ...tools.overrides, "android-sdk": named } }),
  };
}

/**
 * What an Android build will use.
 *
 * @param found.preflight What its tools lack.
 * @param found.look How they are looked for: {@linkcode androidLook}.
 */
export async function planAndroid(
  dependencies: AndroidDependencies,
  { start, project, sdk }: AndroidProject,
  found: { readonly preflight: Preflight; readonly look: LookOptions; readonly migrate: string },
): Promise<Facts> {
  const { toolchain } = dependencies;
  const { preflight: { missing }, look, migrate } = found;
  const { overrides, signal: _, ...options } = look;
  const fixOf = (id: string) => missing.find((tool) => tool.id === id)?.fix ?? "";
  const java = await toolchain.detect("java", { overrides, ...options });
  const taken = await toolchain.detect("android-sdk", { overrides, ...options });
  const ofTools = foundFolder(java, { by: "JAVA_HOME", fix: fixOf("java") });
  const { javaHome } = project;
  // Without the JDK that a build needs Gradle is not started, whatever it would take then.
  const named = javaHome === undefined || ofTools.fault !== undefined
    ? null
    : await toolchain.detect("java", {
      ...options,
      overrides: { java: { path: javaHome.value, by: settingOf(javaHome.from) } },
    });
  const jdk = named === null || javaHome === undefined ? ofTools : foundFolder(named, {
    by: javaHome.from,
    from: javaHome.from,
    setting: settingOf(javaHome.from),
    fix: `Correct or remove ${settingOf(javaHome.from)}`,
  });
  const folder = foundFolder(taken, {
    by: "ANDROID_HOME",
    from: sdk.ok ? sdk.value?.by : undefined,
    fix: fixOf("android-sdk"),
  });
  const machine: AndroidMachine = {
    jdk,
    sdk: sdk.ok ? folder : {
      ...folder,
      path: project.sdkDir?.value ?? "",
      from: `sdk.dir in ${localProperties(start)}`,
      fault: {
        why: "nothing is there, and Gradle takes it before any other SDK",
        fix: sdk.error.hint,
      },
    },
    ...await contentOf(dependencies, folder.path),
  };
  return androidFacts(project, machine, {
    migrate,
    ...(start.unknown !== undefined && { unknown: start.unknown }),
  });
}

function settingOf(from: string): string {
  return from.startsWith("-D") ? from : `org.gradle.java.home in ${from}`;
}

/** Kinds of places in words. */
const SOURCES: Readonly<Record<Exclude<ToolSource, "env" | "override">, string>> = {
  own: "Slipway's own copy",
  bundled: "the packaged editor",
  path: "PATH",
  "well-known": "a usual folder of this system",
};

/** A tool as a fact tells it. @param told.by The variable that may name it. */
function foundFolder(
  detection: Detection,
  told: {
    readonly by: string;
    readonly fix: string;
    /** What names it, if it is known. */
    readonly from?: string | undefined;
    readonly setting?: string;
  },
): FoundFolder {
  const { id, present, lacks, tried } = detection;
  const setting = `user.sdk.${id} in project.config.json`;
  const names = { ...SOURCES, env: told.by, override: setting };
  // Of an absent tool the folder is told that its user named: Gradle by itself would take it.
  const place = present
    ? detection
    : tried.find(({ source }) => source === "env" || source === "override");
  const reason = present ? tried.at(-1)?.reason : detection.reason;
  const serves = present && lacks === undefined;
  return {
    path: place?.path ?? "",
    version: present ? detection.version : undefined,
    from: told.from ?? (place === undefined ? "this machine" : names[place.source]),
    setting: told.setting ?? setting,
    ...(!serves && { fault: { why: reason ?? "it cannot be used", fix: told.fix } }),
  };
}

/** What the SDK has, as far as Gradle would fetch it. */
async function contentOf(
  { files, host }: AndroidDependencies,
  sdk: string,
): Promise<Pick<AndroidMachine, "buildTools" | "isReadOnly">> {
  if (sdk === "") return { buildTools: [], isReadOnly: false };
  const tools = hostPaths(host.platform).join(sdk, "build-tools");
  const listed = await attempt(() => files.list(tools));
  const stat = await attempt(() => files.stat(sdk));
  const entries = listed.ok ? listed.value ?? [] : [];
  const mode = stat.ok ? stat.value?.mode : undefined;
  return {
    buildTools: entries.map(({ name }) => name),
    isReadOnly: host.platform !== "win32" && mode !== undefined && (mode & 0o222) === 0,
  };
}

/** The file that names the SDK of a Gradle build. */
export function localProperties({ folder }: GradleStart): string {
  return inFolder(folder, "local.properties");
}
