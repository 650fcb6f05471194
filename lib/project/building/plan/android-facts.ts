import { escapeInvisible } from "../../../core/invisible.ts";
import { type Fact, type Facts, factsOf, type UnknownFact } from "./fact.ts";
import { type Decided, FIRST_WITH_DAEMON_JVM, type GradleProject } from "./gradle-project.ts";
import {
  buildToolsTaken,
  firstGradleOn,
  needsOfPlugin,
  newestJdkOf,
  oldestJdkOf,
} from "./gradle-tables.ts";
import { COMPUTED } from "./gradle-text.ts";
import { compareVersions, isOlder, javaMajorOf } from "./versions.ts";

// BUILD-13: the tools of an Android build are judged before anything of the project is touched, by what
// Gradle and its Android plugin publish.

/** A folder of this machine, as a fact shows it. */
export interface FoundFolder {
  /** Absolute; empty if there is none. */
  readonly path: string;
  readonly version?: string | undefined;
  /** The variable, setting or file that names it. */
  readonly from: string;
  /** The setting by which a project names another one. */
  readonly setting: string;
  /** Why a build cannot use it, and the next step; absent if it can. */
  readonly fault?: { readonly why: string; readonly fix: string };
}

/** Folders of this machine that an Android build takes. */
export interface AndroidMachine {
  /** The JDK that Gradle runs on, unless its settings choose one by version. */
  readonly jdk: FoundFolder;
  /** The major version of the JDK that will take its place, if it is missing. */
  readonly expectedJdk?: number;
  readonly sdk: FoundFolder;
  /** Why it is not known which SDK Gradle takes, if it is not. */
  readonly unknownSdk?: string;
  /** The versions of build tools in the SDK. */
  readonly buildTools: readonly string[];
  /** Whether the SDK is write-protected, so that Gradle cannot fetch anything into it. */
  readonly isReadOnly: boolean;
}

/** The way a build runs Gradle. */
export interface GradleRun {
  /** Why it is not known which Gradle runs, if it is not; then nothing of Gradle is judged. */
  readonly unknown?: string;
  /** Whether a step chooses the JDK itself. */
  readonly choosesJdk?: boolean;
  /** The command of Capacitor that raises an app to the next major version. */
  readonly migrate: string;
}

/** Major versions of the JDK that vendors support for long, newest first. */
const LONG_SUPPORTED = [25, 21, 17, 11, 8];

/** Why the files of an app's own project were not read. */
const UNREAD = {
  outside:
    "the app's own project, or a file of it, is outside the project's folder, and is read in " +
    "a build, `build --dry-run` or `toolchain preflight`",
  network: "the app's own project, or a file of it, is on a network, and is not read there",
  unreadable: "a file of the app's own project is too large, is not UTF-8, or cannot be read",
} as const;

/** Facts that only the files of a Gradle build state. */
const OF_FILES = ["gradle", "androidPlugin", "sdk", "compileSdk", "buildTools"] as const;

/** Returns the tools that an Android build will use, each judged. */
export function androidFacts(
  project: GradleProject,
  machine: AndroidMachine,
  run: GradleRun,
): Facts {
  // The required JDK is missing whatever the files name, or a step.
  const jdk = jdkFact(project, machine, run);
  if (project.unread !== undefined) {
    const why = UNREAD[project.unread];
    return factsOf([
      jdk.ok ? { name: "jdk", why } : jdk,
      ...OF_FILES.map((name) => ({ name, why })),
    ]);
  }
  const { choosesJdk = false, unknown = "" } = run;
  const undecided = choosesJdk ? unknown : undecidedJdk(project, run);
  return factsOf([
    gradleFact(project, { run, jdk: gradleJdkOf(project, machine) }),
    pluginFact(project, run),
    jdk.ok && undecided !== null ? { name: "jdk", why: undecided } : jdk,
    sdkFact(machine),
    compileSdkFact(project),
    buildToolsFact(project, machine),
  ]);
}

/** Returns why it is not known whether a file names the JDK on which Gradle runs, if it is not. */
function undecidedJdk({ daemonJdk, gradle }: GradleProject, run: GradleRun): string | null {
  if (daemonJdk === undefined || gradle !== undefined || run.unknown !== undefined) return null;
  const { value, from } = daemonJdk;
  return `Gradle ${FIRST_WITH_DAEMON_JVM} or newer looks for the JDK ${value} of ${from}, and the ` +
    "version of this Gradle is not known";
}

/** The JDK on which Gradle runs. */
interface GradleJdk {
  readonly major: number;
  /** The JDK in a sentence. */
  readonly shown: string;
  /** The change that has Gradle run on another one. */
  readonly change: (major: number) => string;
}

/** Finds the JDK on which Gradle runs; `null` if its version is not known. */
function gradleJdkOf(
  { daemonJdk }: GradleProject,
  { jdk, expectedJdk }: AndroidMachine,
): GradleJdk | null {
  if (daemonJdk !== undefined) {
    const { value: major, from } = daemonJdk;
    const change = (other: number) => `set toolchainVersion=${other} in ${from}`;
    return { major, shown: `JDK ${major}`, change };
  }
  const change = (other: number) => `set ${jdk.setting} to a JDK ${other}`;
  const major = javaMajorOf(jdk.version ?? "");
  if (major !== null) return { major, shown: `JDK ${major}`, change };
  return expectedJdk === undefined
    ? null
    : { major: expectedJdk, shown: `the required JDK ${expectedJdk}`, change };
}

function gradleFact(
  { gradle, brokenJar, plugin, javaLevel }: GradleProject,
  { run, jdk }: { readonly run: GradleRun; readonly jdk: GradleJdk | null },
): Fact | UnknownFact {
  const name = "gradle";
  if (run.unknown !== undefined) return { name, why: run.unknown };
  if (brokenJar !== undefined) {
    const { path, isMissing } = brokenJar;
    return {
      ...{ name, value: gradle?.value ?? "", from: path, ok: false },
      why: isMissing
        ? "it is not there, and gradlew starts it"
        : "it is not an archive, and gradlew starts it",
      fix:
        `Add ${path} to the project, and to its version control (*.jar in .gitignore keeps it out)`,
    };
  }
  if (gradle === undefined) {
    return { name, why: "no distributionUrl of the wrapper names a version" };
  }
  const fact = { name, ...gradle, ok: true } as const;
  if (jdk === null) return fact;
  const { major, shown, change } = jdk;
  const newest = newestJdkOf(gradle.value);
  const first = firstGradleOn(major);
  if (newest === null || major <= newest) return fact;
  const atLeast = Math.max(javaLevel?.value ?? 0, needsOfPlugin(plugin?.value ?? "")?.jdk ?? 0);
  const other = LONG_SUPPORTED.find((each) => each <= newest && each >= atLeast);
  const raised =
    `raise Gradle to ${first} or newer in ${gradle.from} (for Capacitor: ${run.migrate})`;
  const ways = [
    ...(first === null ? [] : [raised]),
    ...(other === undefined ? [] : [change(other)]),
  ];
  return {
    ...fact,
    ok: false,
    why: `it does not run on ${shown}, only on JDK ${newest} or older`,
    fix: capitalized(ways.join(", or ")) || `Raise Gradle in ${gradle.from}`,
  };
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function pluginFact({ plugin, gradle }: GradleProject, run: GradleRun): Fact | UnknownFact {
  const name = "androidPlugin";
  if (plugin === undefined) {
    return { name, why: "no Gradle file names com.android.tools.build:gradle in plain text" };
  }
  const fact = { name, ...plugin, ok: true } as const;
  const needs = needsOfPlugin(plugin.value);
  if (run.unknown !== undefined || needs === null || gradle === undefined) return fact;
  if (!isOlder(gradle.value, needs.gradle)) return fact;
  return {
    ...fact,
    ok: false,
    why: `it needs Gradle ${needs.gradle} or newer, and ${gradle.from} names ${gradle.value}`,
    fix: `Raise Gradle to ${needs.gradle} in ${gradle.from}`,
  };
}

function jdkFact(project: GradleProject, { jdk }: AndroidMachine, run: GradleRun): Fact {
  const name = "jdk";
  const { daemonJdk, gradle } = project;
  if (daemonJdk !== undefined && gradle !== undefined && run.unknown === undefined) {
    const { value: major, from } = daemonJdk;
    const why = whyTooOld(major, project);
    const fact = { name, value: `JDK ${major}`, from } as const;
    return why === null
      ? { ...fact, ok: true, why: "Gradle looks for one by itself, or downloads it" }
      : {
        ...fact,
        ok: false,
        why: why.reason,
        fix: `Set toolchainVersion=${why.least} in ${from}`,
      };
  }
  const { path, version, from, setting, fault } = jdk;
  const value = escapeInvisible(
    [path, ...(version === undefined ? [] : [`(${version})`])].join(" "),
  );
  const fact = { name, value, from, ok: true } as const;
  if (fault !== undefined) return { ...fact, ok: false, ...fault };
  const major = javaMajorOf(version ?? "");
  const why = major === null || run.unknown !== undefined ? null : whyTooOld(major, project);
  return why === null
    ? fact
    : { ...fact, ok: false, why: why.reason, fix: `Set ${setting} to a JDK ${why.least} or newer` };
}

/** Returns why a JDK is too old for the build, and the oldest version that would do. */
function whyTooOld(
  jdk: number,
  { gradle, plugin, javaLevel }: GradleProject,
): { readonly reason: string; readonly least: number } | null {
  const needs: readonly (readonly [number, string])[] = [
    [javaLevel?.value ?? 0, `${javaLevel?.from} compiles for Java ${javaLevel?.value}`],
    [
      needsOfPlugin(plugin?.value ?? "")?.jdk ?? 0,
      `version ${plugin?.value} of the Android plugin does not start on it`,
    ],
    [
      gradle === undefined ? 0 : oldestJdkOf(gradle.value),
      `Gradle ${gradle?.value} does not run on it`,
    ],
  ];
  const least = Math.max(...needs.map(([need]) => need));
  const found = needs.find(([need]) => need > jdk);
  return found === undefined
    ? null
    : { reason: `it is JDK ${jdk}, expected ${least} or newer: ${found[1]}`, least };
}

function sdkFact({ sdk: { path, from, fault }, unknownSdk }: AndroidMachine): Fact | UnknownFact {
  if (unknownSdk !== undefined) return { name: "sdk", why: unknownSdk };
  return { name: "sdk", value: escapeInvisible(path), from, ok: fault === undefined, ...fault };
}

function compileSdkFact({ compileSdk, plugin }: GradleProject): Fact | UnknownFact {
  const name = "compileSdk";
  if (compileSdk === undefined) {
    const why = "no Gradle file states it in plain text; set build.android.compileSdk in " +
      "project.config.json";
    return { name, why };
  }
  const tested = needsOfPlugin(plugin?.value ?? "")?.compileSdk ?? Infinity;
  return {
    ...{ name, value: `${compileSdk.value}`, from: compileSdk.from, ok: true },
    ...(compileSdk.value > tested && {
      why: `version ${plugin?.value} of the Android plugin was tested up to ${tested}, and warns`,
    }),
  };
}

/**
 * Returns the level of the platform that an SDK must have: `unknown` if a program of the project decides it;
 * absent without an Android app.
 */
export function levelOf(
  { compileSdk, exists }: GradleProject,
): number | "unknown" | undefined {
  return compileSdk?.value ?? (exists ? "unknown" : undefined);
}

/** The build tools that the plugin takes, whatever other ones the SDK has; `null` if that is not known. */
export function buildToolsOf({ plugin, buildTools }: GradleProject): Decided<string> | null {
  if (buildTools === COMPUTED) return null;
  const needs = needsOfPlugin(plugin?.value ?? "");
  if (plugin === undefined || needs === null) return buildTools ?? null;
  const value = buildToolsTaken(needs, buildTools?.value);
  if (buildTools !== undefined && compareVersions(value, buildTools.value) === 0) return buildTools;
  return { value, from: `version ${plugin.value} of the Android plugin` };
}

function buildToolsFact(project: GradleProject, machine: AndroidMachine): Fact | UnknownFact {
  const name = "buildTools";
  const taken = buildToolsOf(project);
  if (taken === null) {
    const why = project.buildTools === COMPUTED
      ? "the app's Gradle file does not state its buildToolsVersion in plain text"
      : "the version of the Android plugin is not known";
    return { name, why };
  }
  const fact = { name, ...taken, ok: true } as const;
  const { sdk, unknownSdk, buildTools, isReadOnly } = machine;
  const isJudged = sdk.fault === undefined && unknownSdk === undefined;
  if (!isJudged || buildTools.includes(taken.value)) return fact;
  const lack = `${sdk.path} has no build-tools;${taken.value}`;
  return isReadOnly
    ? {
      ...fact,
      ok: false,
      why: `${lack}, and Gradle cannot fetch it into a write-protected folder`,
      fix: `Add build-tools;${taken.value} to ${sdk.path}`,
    }
    : { ...fact, why: `${lack}: Gradle fetches it in the build` };
}
