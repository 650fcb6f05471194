import type { Command } from "../../config/config.ts";
import type { GradleFiles, GradlePath } from "./gradle-files.ts";
import {
  buildToolsIn,
  compileSdkIn,
  COMPUTED,
  type Computed,
  javaLevelIn,
  pluginIn,
} from "./gradle-text.ts";
import { parseProperties } from "./java-properties.ts";
import { isOlder } from "./versions.ts";

/** Part of a build, with the file, setting or command line that decides it. */
export interface Decided<Value> {
  readonly value: Value;
  /** The file that decides it, as a path below the project's folder or in words. */
  readonly from: string;
}

/** Statements of a Gradle build about the tools that it will use. Absent: not stated in plain text. */
export interface GradleProject {
  /** Why its files were not read; absent if they were. */
  readonly unread?: GradleFiles["unread"];
  readonly gradle?: Decided<string> | undefined;
  /** The wrapper's archive, if its script starts one and it is unusable. */
  readonly brokenJar?: { readonly path: string; readonly isMissing: boolean } | undefined;
  readonly plugin?: Decided<string> | undefined;
  /** A Java home that Gradle runs on, whatever JAVA_HOME says. */
  readonly javaHome?: Decided<string> | undefined;
  /** The version of the JDK that Gradle finds or downloads on its own. */
  readonly daemonJdk?: Decided<number> | undefined;
  /** The SDK, which counts before ANDROID_HOME. Relative to the folder of the build, or absolute. */
  readonly sdkDir?: Decided<string> | undefined;
  readonly compileSdk?: Decided<number> | undefined;
  /** Whether there is an Android app. If `compileSdk` is absent too, a program decides the level of its platform. */
  readonly exists: boolean;
  /** Version of the build tools that the files name. */
  readonly buildTools?: Decided<string> | Computed | undefined;
  /** The level of Java that the app is compiled for. */
  readonly javaLevel?: Decided<number> | undefined;
}

/** The user's own settings of Gradle, which take precedence over those of a project. */
export interface UserProperties {
  readonly text: string;
  /** The file, as it is shown: `~/.gradle/gradle.properties`. */
  readonly from: string;
}

const WRAPPER: GradlePath = "gradle/wrapper/gradle-wrapper.properties";
const DAEMON_JVM: GradlePath = "gradle/gradle-daemon-jvm.properties";
const JAVA_HOME = "org.gradle.java.home";

/** A program of a Gradle build. */
const BUILD_FILE = /(?:^|\/)(?:build|settings)\.gradle(?:\.kts)?$/;

/** Maximum characters of a value: a path is not longer. */
const MAX_VALUE = 4_096;

/** The first Gradle that reads the version of its JDK from a file. */
export const FIRST_WITH_DAEMON_JVM = "8.8";

/** Settings of Gradle outside a project. */
interface GradleSettings {
  readonly user: UserProperties | null;
  /** The steps that start it. */
  readonly steps: readonly Command[];
  /** Variables of the environment; none if absent. */
  readonly variable?: ((name: string) => string | undefined) | undefined;
}

/** Parses the statements of a Gradle build. */
export function parseGradleProject(
  files: GradleFiles,
  { user, steps, variable }: GradleSettings,
): GradleProject {
  const { texts } = files;
  const at = (path: string) => inFolder(files.folder, path);
  const said = <Value>(one: { readonly value: Value; readonly path: string } | null) =>
    one === null || `${one.value}`.length > MAX_VALUE
      ? undefined
      : { value: one.value, from: at(one.path) };
  const gradle = said(gradleIn(texts));
  const daemonJdk = gradle !== undefined && isOlder(gradle.value, FIRST_WITH_DAEMON_JVM)
    ? undefined
    : said(daemonJdkIn(texts));
  const tools = buildToolsIn(texts);
  return {
    ...(files.unread !== undefined && { unread: files.unread }),
    gradle,
    brokenJar: brokenJar(files),
    plugin: said(pluginIn(texts)),
    daemonJdk,
    javaHome: javaHomeOf(files, { user, steps, variable }),
    sdkDir: said(propertyIn(texts, "local.properties", "sdk.dir")),
    compileSdk: said(compileSdkIn(texts)),
    exists: files.unread !== undefined || [...texts.keys()].some((path) => BUILD_FILE.test(path)),
    buildTools: tools === COMPUTED ? tools : said(tools),
    javaLevel: said(javaLevelIn(texts)),
  };
}

/** A path below the project's folder. */
export function inFolder(folder: string, path: string): string {
  return folder === "" ? path : `${folder}/${path}`;
}

/** The version of Gradle that the wrapper downloads, from the name of its archive. */
function gradleIn(texts: GradleFiles["texts"]) {
  const url = propertyIn(texts, WRAPPER, "distributionUrl");
  const value = /\/gradle-(\d+(?:\.\d+)*(?:-[\w-]+?)?)-(?:all|bin)\.zip$/.exec(url?.value ?? "")
    ?.[1];
  return value === undefined ? null : { value, path: WRAPPER };
}

function daemonJdkIn(texts: GradleFiles["texts"]) {
  const version = propertyIn(texts, DAEMON_JVM, "toolchainVersion")?.value.trim() ?? "";
  return /^\d{1,3}$/.test(version) ? { value: Number(version), path: DAEMON_JVM } : null;
}

/** A value as Java reads it: blanks at its end are a part of a path. */
function propertyIn(texts: GradleFiles["texts"], path: GradlePath, key: string) {
  const value = parseProperties(texts.get(path) ?? "").get(key);
  return value === undefined || value.length > MAX_VALUE ? null : { value, path };
}

/** Variables whose options reach Gradle's Java, the deciding one first. */
const OPTIONS = ["GRADLE_OPTS", "JAVA_OPTS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"] as const;

/** The value that options of Java set for a system property, and the variable; the last one counts. */
export function optionOf(
  name: string,
  variable: (name: string) => string | undefined = () => undefined,
): Decided<string> | undefined {
  const flag = `-D${name}=`;
  for (const from of OPTIONS) {
    // As gradlew splits a variable: at blanks, unless they are in quotes.
    const words = variable(from)?.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
    const option = words.map((word) => word.replace(/["']/g, ""))
      .findLast((word) => word.startsWith(flag));
    if (option !== undefined) return { value: option.slice(flag.length), from };
  }
  return undefined;
}

/** The value that a command of Gradle sets for a system property; the last one counts. */
function argumentOf(name: string, words: readonly string[]): string | undefined {
  const flag = `${name}=`;
  const found = words.flatMap((word, at) => {
    const joined = /^(?:-D|--system-prop=)(.*)$/s.exec(word)?.[1];
    const setting = word === "-D" || word === "--system-prop" ? words[at + 1] : joined;
    return setting?.startsWith(flag) ? [setting.slice(flag.length)] : [];
  });
  return found.at(-1);
}

/**
 * Finds the Java home: the command line takes precedence over options of Java, these over the user's file, that
 * over the project's.
 */
function javaHomeOf(
  { folder, texts }: GradleFiles,
  { user, steps, variable }: GradleSettings,
): Decided<string> | undefined {
  const argument = argumentOf(JAVA_HOME, steps.flat());
  if (argument !== undefined) return { value: argument, from: `-D${JAVA_HOME} of a step` };
  const option = optionOf(JAVA_HOME, variable);
  if (option !== undefined) {
    return { value: option.value, from: `-D${JAVA_HOME} in ${option.from}` };
  }
  const ofUser = parseProperties(user?.text ?? "").get(JAVA_HOME);
  if (user !== null && ofUser !== undefined) return { value: ofUser, from: user.from };
  const own = propertyIn(texts, "gradle.properties", JAVA_HOME);
  return own === null ? undefined : { value: own.value, from: inFolder(folder, own.path) };
}

function brokenJar({ folder, wrapper }: GradleFiles): GradleProject["brokenJar"] {
  if (!wrapper.startsJar || wrapper.jar === "there") return undefined;
  const path = inFolder(folder, "gradle/wrapper/gradle-wrapper.jar");
  return { path, isMissing: wrapper.jar === "missing" };
}
