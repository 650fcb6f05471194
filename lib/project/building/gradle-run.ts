import { escapeInvisible } from "../../core/invisible.ts";
import { isNetworkPath } from "../../programs/mod.ts";
import { capacitorCall } from "./capacitor-command.ts";
import { programName } from "./package-manager.ts";
import { isAbsolutePath } from "./plan/project-text.ts";
import type { Command } from "../config/config.ts";

/** The way the steps of a build run Gradle. */
export interface GradleStart {
  /** The folder of the Gradle build: {@linkcode folderFrom}. */
  readonly folder: string;
  /** Why it is not known which Gradle runs; absent if the wrapper in that folder does. */
  readonly unknown?: string;
  /** The variables by which a step has Gradle take other tools than the build finds; absent for none. */
  readonly sets?: readonly string[];
}

/** Maximum characters of a folder that are shown. */
const MAX_SHOWN = 200;

/**
 * Finds how steps run Gradle: by its wrapper, or by Capacitor, which starts the wrapper of the app.
 *
 * @param appFolder The folder of the app's own project: {@linkcode folderFrom}.
 */
export function gradleStartOf(
  steps: readonly Command[],
  { root, appFolder }: { readonly root: string; readonly appFolder: string },
): GradleStart {
  const call = steps.map(wrapperCall).find((each) => each !== null);
  if (call === undefined) {
    return startsWrapper(steps)
      ? { folder: appFolder }
      : { folder: appFolder, unknown: "no step is known to start the wrapper of Gradle" };
  }
  const { step, sets } = call;
  const own = folderFrom(step[0].replace(/gradlew(?:\.bat)?$/, ""), root);
  const named = buildFolderIn(step);
  const build = named === undefined ? own : folderFrom(named, root);
  if (own !== build) {
    const shown = escapeInvisible(build.slice(0, MAX_SHOWN));
    const unknown = `the wrapper of Gradle is in another folder than ${shown}`;
    return { folder: build, unknown, ...(sets.length > 0 && { sets }) };
  }
  return sets.length === 0
    ? { folder: own }
    : { folder: own, unknown: `a step sets ${sets.join(" and ")} for Gradle`, sets };
}

/** Programs that run the one after them as it is. */
const RUNS = /^(?:bash|cross-env|dash|env|nice|sh|time|zsh)$/;
/** Variables by which a step has other tools than the build finds. */
const OTHER_TOOLS =
  /^(ANDROID_HOME|ANDROID_SDK_ROOT|GRADLE_OPTS|GRADLE_USER_HOME|JAVA_HOME|JAVA_OPTS|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS)=/;
/** Arguments by which Gradle takes the user's settings from another folder. */
const OTHER_HOME =
  /^(--gradle-user-home|-g)(?:=|$)|^(-g)(?=[./~\w])|^(?:-D|--system-prop=)?(gradle\.user\.home)=/;

/** A call of a wrapper of Gradle. */
interface WrapperCall {
  readonly step: Command;
  /** See {@linkcode GradleStart.sets}. */
  readonly sets: readonly string[];
}

/** Finds how a step calls Gradle's wrapper, `sh android/gradlew` too; `null` if no known way. */
function wrapperCall(step: Command): WrapperCall | null {
  const at = step.findIndex((word) => /(?:^|[\\/])gradlew(?:\.bat)?$/.test(word));
  const [program, ...args] = step.slice(at < 0 ? step.length : at);
  if (program === undefined) return null;
  const before = step.slice(0, at);
  if (at > 0 && (!RUNS.test(programName(step[0])) || before.includes("-c"))) return null;
  const sets = [
    ...before.map((word) => OTHER_TOOLS.exec(word)?.[1]),
    ...args.map((word) => OTHER_HOME.exec(word)?.slice(1).find((name) => name !== undefined)),
  ].filter((name) => name !== undefined);
  return { step: [program, ...args], sets };
}

/** Whether Capacitor itself builds the app in one of the steps. */
function startsWrapper(steps: readonly Command[]): boolean {
  return steps.some((step) => /^(?:build|run)$/.test(capacitorCall(step)?.args[0] ?? ""));
}

/** The folder that `-p` names, as Gradle spells it. */
function buildFolderIn(step: Command): string | undefined {
  for (const [at, word] of step.entries()) {
    if (word === "-p" || word === "--project-dir") return step[at + 1];
    const joined = /^(?:-p|--project-dir=)(.+)$/.exec(word)?.[1];
    if (joined !== undefined && !word.startsWith("-P")) return joined;
  }
  return undefined;
}

/**
 * A folder as a path below the project's, empty for the project's own; an absolute path if it is outside.
 *
 * @param path Absolute, or from the project's folder.
 */
export function folderFrom(path: string, root: string): string {
  if (isNetworkPath(path)) return path;
  const base = resolved(root);
  const full = resolved(isAbsolutePath(path) ? path : `${root}/${path}`);
  return full === base ? "" : full.startsWith(`${base}/`) ? full.slice(base.length + 1) : full;
}

/** An absolute path with `/` between its folders, without `.` and `..`. */
function resolved(path: string): string {
  const segments: string[] = [];
  for (const segment of path.replaceAll("\\", "/").split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `${/^[\\/]/.test(path) ? "/" : ""}${segments.join("/")}`;
}
