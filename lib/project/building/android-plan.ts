import type { Problem } from "../../core/problem.ts";
import { attempt } from "../../core/attempt.ts";
import type { Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import { hostPaths } from "../../programs/mod.ts";
import {
  type Detection,
  type LookOptions,
  type NamedFolder,
  type Preflight,
  REQUIRED_JAVA_MAJOR,
  type Toolchain,
  type ToolSource,
} from "../../toolchain/mod.ts";
import type { Command, ProjectConfig } from "../config/config.ts";
import { folderPlace, propertiesText } from "./plan/project-text.ts";
import { findGradleSdk } from "./gradle-sdk.ts";
import {
  androidFacts,
  type AndroidMachine,
  buildToolsOf,
  type FoundFolder,
  levelOf,
} from "./plan/android-facts.ts";
import type { Facts } from "./plan/fact.ts";
import { readGradleFiles, readUserFile } from "./plan/gradle-files.ts";
import {
  type GradleProject,
  inFolder,
  optionOf,
  parseGradleProject,
} from "./plan/gradle-project.ts";
import { type GradleStart, gradleStartOf } from "./gradle-run.ts";

/** The dependencies of planning an Android build. */
export interface AndroidDependencies {
  readonly files: Files;
  readonly host: Pick<Host, "platform" | "env" | "home">;
  readonly toolchain: Pick<Toolchain, "detect">;
}

/** An Android build. */
export interface AndroidPlan {
  /** The project's folder, absolute. */
  readonly root: string;
  readonly config: Pick<ProjectConfig, "build">;
  readonly steps: readonly Command[];
  /** The folder of the app's own project, below the project's or absolute. */
  readonly appFolder: string;
  /** Whether it is read outside the project's folder, too: its user asked for a build. */
  readonly outside: boolean;
}

/** Statements of the files of an Android build, which are read before any tool is looked for. */
export interface AndroidProject {
  readonly start: GradleStart;
  readonly project: GradleProject;
  /** The SDK that Gradle takes before any other. */
  readonly sdk: Result<NamedFolder | null, Problem>;
}

/** Reads the statements of an Android build about its tools. */
export async function readAndroidProject(
  { files, host }: AndroidDependencies,
  { root, config, steps, appFolder, outside }: AndroidPlan,
): Promise<AndroidProject> {
  const start = gradleStartOf(steps, { root: await files.realPath(root) ?? root, appFolder });
  const paths = hostPaths(host.platform);
  const userHome = optionOf("gradle.user.home", host.env)?.value ?? host.env("GRADLE_USER_HOME") ??
    paths.join(host.home, ".gradle");
  const from = paths.join(userHome, "gradle.properties");
  const bytes = await readUserFile(files, from);
  const read = parseGradleProject(await readGradleFiles(files, root, start.folder, { outside }), {
    user: bytes === null ? null : { text: propertiesText(bytes), from },
    steps,
    variable: host.env,
  });
  const configured = config.build.android?.compileSdk;
  const project = configured === undefined ? read : {
    ...read,
    compileSdk: { value: configured, from: "build.android.compileSdk in project.config.json" },
  };
  const folder = folderPlace(root, start.folder);
  return { start, project, sdk: await findGradleSdk(files, host, { folder, sdkDir: read.sdkDir }) };
}

/** Returns how the tools of an Android build are looked for: as Gradle will take them. */
export function androidLook(
  { project, sdk }: AndroidProject,
  tools: LookOptions,
): LookOptions {
  const named = sdk.ok ? sdk.value : null;
  return {
    ...tools,
    compileSdk: levelOf(project),
    buildTools: buildToolsOf(project)?.value,
    ...(named !== null && { overrides: { ...tools.overrides, "android-sdk": named } }),
  };
}

/**
 * Plans the tools of an Android build.
 *
 * @param found.preflight What its tools lack.
 * @param found.look How they are looked for: {@linkcode androidLook}.
 */
export async function planAndroid(
  dependencies: AndroidDependencies,
  { start, project, sdk }: AndroidProject,
  found: { readonly preflight: Preflight; readonly look: LookOptions; readonly migrate: string },
): Promise<Facts> {
  const { host, toolchain } = dependencies;
  const { preflight: { missing }, look, migrate } = found;
  const fixOf = (id: string) => missing.find((tool) => tool.id === id)?.fix ?? "";
  const jdk = await jdkOf(dependencies, project, { look, fix: fixOf("java") });
  const { signal: _, ...options } = look;
  const folder = foundFolder(await toolchain.detect("android-sdk", options), {
    by: (path) => variableFor(host, ["ANDROID_HOME", "ANDROID_SDK_ROOT"], path),
    from: sdk.ok ? sdk.value?.by : undefined,
    fix: fixOf("android-sdk"),
  });
  const ofGradle = `sdk.dir in ${localProperties(start)}`;
  const isHidden = sdk.ok && sdk.value === null && project.sdkDir !== undefined;
  const setsSdk = project.sdkDir === undefined && start.sets?.some(isOfSdk) === true;
  const unknownSdk = isHidden
    ? `${ofGradle} names a folder that is on a network or unreadable`
    : setsSdk
    ? start.unknown
    : undefined;
  const isExpected = jdk.fault !== undefined && look.overrides?.java === undefined &&
    project.javaHome === undefined;
  const machine: AndroidMachine = {
    jdk,
    ...(isExpected && { expectedJdk: REQUIRED_JAVA_MAJOR }),
    sdk: sdk.ok ? folder : {
      ...folder,
      path: project.sdkDir?.value ?? "",
      from: ofGradle,
      fault: {
        why: "nothing is there, and Gradle takes it before any other SDK",
        fix: sdk.error.hint,
      },
    },
    ...(unknownSdk !== undefined && { unknownSdk }),
    ...await contentOf(dependencies, folder),
  };
  return androidFacts(project, machine, {
    migrate,
    ...(start.unknown !== undefined && { unknown: start.unknown }),
    choosesJdk: start.sets?.some((name) => !isOfSdk(name)) === true,
  });
}

/** Whether a variable names the SDK: Gradle takes it unless `sdk.dir` names another. */
function isOfSdk(name: string): boolean {
  return name.startsWith("ANDROID_");
}

/** Finds the JDK that Gradle runs on: the one of its own settings, else that of the build's environment. */
async function jdkOf(
  { toolchain }: AndroidDependencies,
  { javaHome }: GradleProject,
  { look: { signal: _, overrides, ...options }, fix }: {
    readonly look: LookOptions;
    /** The next step if that of the environment is missing. */
    readonly fix: string;
  },
): Promise<FoundFolder> {
  const java = await toolchain.detect("java", { overrides, ...options });
  const ofTools = foundFolder(java, { by: () => "JAVA_HOME", fix });
  // Without the JDK that a build requires Gradle is not started, whatever its settings name.
  if (javaHome === undefined || ofTools.fault !== undefined) return ofTools;
  const setting = settingOf(javaHome.from);
  const named = await toolchain.detect("java", {
    ...options,
    overrides: { java: { path: javaHome.value, by: setting } },
  });
  return foundFolder(named, {
    by: () => javaHome.from,
    from: javaHome.from,
    setting,
    fix: `Correct or remove ${setting}`,
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

/** Describes a tool for a fact. @param stated.by Finds the variable that may name it. */
function foundFolder(
  detection: Detection,
  stated: {
    readonly by: (path: string) => string;
    readonly fix: string;
    /** The place that names it, if it is known. */
    readonly from?: string | undefined;
    readonly setting?: string;
  },
): FoundFolder {
  const { id, present, lacks, tried } = detection;
  const setting = `user.sdk.${id} in project.config.json`;
  // Of an absent tool, the folder that its user named: Gradle alone would take it.
  const place = present
    ? detection
    : tried.find(({ source }) => source === "env" || source === "override");
  const reason = present ? tried.at(-1)?.reason : detection.reason;
  const serves = present && lacks === undefined;
  const path = place?.path ?? "";
  const names = { ...SOURCES, env: stated.by(path), override: setting };
  return {
    path,
    version: present ? detection.version : undefined,
    from: stated.from ?? (place === undefined ? "this machine" : names[place.source]),
    setting: stated.setting ?? setting,
    ...(!serves && { fault: { why: reason ?? "it cannot be used", fix: stated.fix } }),
  };
}

/** Returns which of the variables names a folder. */
function variableFor(
  host: Pick<Host, "env">,
  names: readonly [string, ...string[]],
  path: string,
): string {
  const valueOf = (name: string) => host.env(name)?.replace(/^[\s"]+|[\s"]+$/g, "");
  return names.find((name) => valueOf(name) === path) ?? names[0];
}

/** Lists the parts of the SDK that Gradle would fetch. */
async function contentOf(
  { files, host }: AndroidDependencies,
  { path, fault }: FoundFolder,
): Promise<Pick<AndroidMachine, "buildTools" | "isReadOnly">> {
  if (fault !== undefined) return { buildTools: [], isReadOnly: false };
  const tools = hostPaths(host.platform).join(path, "build-tools");
  const listed = await attempt(() => files.list(tools));
  const stat = await attempt(() => files.stat(path));
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
