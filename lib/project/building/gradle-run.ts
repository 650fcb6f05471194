import { capacitorCall } from "./capacitor-command.ts";
import type { Command } from "../config/config.ts";

/** The way the steps of a build run Gradle. */
export interface GradleStart {
  /** The folder of the Gradle build, below the project's; empty for the project's own. */
  readonly folder: string;
  /** Why it is not known which Gradle runs; absent if the wrapper in that folder does. */
  readonly unknown?: string;
}

/**
 * Finds how steps run Gradle: by its wrapper, or by Capacitor, which starts the wrapper of the app.
 *
 * @param appFolder The folder of the app's own project, below the project's.
 */
export function gradleStartOf(
  steps: readonly Command[],
  { root, appFolder }: { readonly root: string; readonly appFolder: string },
): GradleStart {
  const step = steps.find(([program]) => /(?:^|[\\/])gradlew(?:\.bat)?$/.test(program));
  if (step === undefined) {
    return startsWrapper(steps)
      ? { folder: appFolder }
      : { folder: appFolder, unknown: "no step starts the wrapper of Gradle" };
  }
  const own = relativeFolder(step[0].replace(/[^\\/]*$/, ""), root);
  const named = buildFolderIn(step);
  const build = named === undefined ? own : relativeFolder(named, root);
  if (own === null || build === null) {
    return { folder: appFolder, unknown: "the wrapper of Gradle is outside the project's folder" };
  }
  return own === build
    ? { folder: own }
    : { folder: build, unknown: `the wrapper of Gradle is in another folder than ${build}` };
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

/** A folder as a path below the project's; `null` if it is outside. */
export function relativeFolder(path: string, root: string): string | null {
  const plain = (text: string) => text.replaceAll("\\", "/").replace(/\/+$/, "");
  const base = plain(root);
  const full = plain(path);
  const below = full === base
    ? ""
    : full.startsWith(`${base}/`)
    ? full.slice(base.length + 1)
    : full;
  if (/^(?:\/|[A-Za-z]:)/.test(below) || path.startsWith("//") || path.startsWith("\\\\")) {
    return null;
  }
  const segments: string[] = [];
  for (const segment of below.split("/")) {
    if (segment === "..") {
      if (segments.pop() === undefined) return null;
    } else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments.join("/");
}
