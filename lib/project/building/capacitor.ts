import { attempt } from "../../core/attempt.ts";
import { escapeInvisible } from "../../core/invisible.ts";
import { isRecord } from "../../core/json.ts";
import { shellWord } from "../../core/shell-word.ts";
import { readInside } from "../../editor/files/mod.ts";
import { isNetworkPath } from "../../programs/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { BuildTarget, PhoneTarget } from "../../toolchain/mod.ts";
import type { Command, ProjectConfig } from "../config/config.ts";
import { isInstalled, lackOfPackages } from "./app-packages.ts";
import { addsPlatform, capacitorIn } from "./capacitor-command.ts";
import { comparablePath, REPORTS } from "./capacitor-report.ts";
import { throughScripts } from "./capacitor-script.ts";
import { folderFrom } from "./gradle-run.ts";
import { hasOwnStepBeforeCopy } from "./steps-fact.ts";
import {
  installsPackages,
  type PackageManager,
  packageManagerOf,
  runCommand,
} from "./package-manager.ts";
import type { ProjectLack } from "./project-lack.ts";
import { folderPlace, readJsonObject } from "./plan/project-text.ts";
import { xcodeLacks, xcodeTarget } from "./xcode-steps.ts";

// A Capacitor app belongs to a project: its packages, its settings and a folder for each platform. The
// user adds them once, with the commands that are named here; a build only uses them.

/** The steps of an app's build. */
interface AppSteps {
  /** The project's folder, absolute. */
  readonly root: string;
  readonly config: Pick<ProjectConfig, "name" | "build">;
  readonly target: BuildTarget;
  readonly steps: readonly Command[];
}

const CONFIG = "capacitor.config.json";
/** Settings that are programs, which only Capacitor evaluates. */
const PROGRAMMED = ["capacitor.config.ts", "capacitor.config.js"];
/** Maximum bytes of these files. */
const MAX_BYTES = 256 * 1024;
/** Maximum characters of a path: no system has longer ones. */
const MAX_PATH = 4_096;
/** Characters of a setting's value that are shown. */
const MAX_SHOWN = 80;

/**
 * Returns the steps that build an app as `npx cap add` makes it: one to try on a phone, one for Xcode's
 * simulator.
 */
export function capacitorSteps(
  target: PhoneTarget,
  { folder = target, xcode = ["-project", `${folder}/App/App.xcodeproj`] }: Partial<OwnApp> = {},
): readonly Command[] {
  const sync: Command = ["npx", "cap", "sync", target];
  if (target === "android") {
    const program = /^\w/.test(folder) ? `./${folder}/gradlew` : `${folder}/gradlew`;
    return [sync, [program, "-p", folder, "assembleDebug"]];
  }
  const to = ["-destination", "generic/platform=iOS Simulator"];
  return [sync, ["xcodebuild", ...xcode, "-scheme", "App", ...to, "build"]];
}

/** The own project of an app for a platform. */
export interface OwnApp {
  /** Its folder, from the project's or absolute: `android` unless the settings name another. */
  readonly folder: string;
  /** The words by which xcodebuild is told what to build: {@linkcode xcodeTarget}. */
  readonly xcode: readonly string[];
}

/** Finds the own project of an app where its settings place it. */
export async function ownAppOf(files: Files, root: string, target: PhoneTarget): Promise<OwnApp> {
  const path = platformPath(await readAppSettings(files, root), target).replace(/^\.\/+|\/+$/g, "");
  // It is shown as a part of a command.
  const folder = /^(?:\/|(?:\.\.\/)+)?\w[\w./-]*$/.test(path) ? path : target;
  return { folder, xcode: await xcodeTarget(files, root, folder) };
}

/**
 * Finds the command with which the Capacitor of the steps reports its settings, and the index of its
 * step. The command changes nothing, and shows that Capacitor starts.
 *
 * @returns `null` without Capacitor, and before it is installed: `npx` would fetch another `cap`.
 */
export async function capacitorProbe(
  files: Files,
  { root, steps: given }: Pick<AppSteps, "root" | "steps">,
): Promise<{ readonly index: number; readonly command: Command } | null> {
  const steps = await throughScripts(files, root, given);
  const index = steps.findIndex((step) => capacitorIn(step) !== null);
  const step = steps[index];
  const command = step === undefined ? null : capacitorIn(step);
  if (command === null) return null;
  const manager = await packageManagerOf(files, root);
  if (!await isInstalled(files, { root, manager, name: "@capacitor/cli" })) return null;
  return { index, command: [...command, ...REPORTS] };
}

/**
 * Finds missing parts of a Capacitor app's project, in the order in which to fix them: packages,
 * settings, the platform's folder. Runs nothing.
 */
export async function projectLacks(
  files: Files,
  { root, config, target, steps: given }: AppSteps,
): Promise<readonly ProjectLack[]> {
  const steps = await throughScripts(files, root, given);
  if (target === "web" || !steps.some((step) => capacitorIn(step) !== null)) return [];
  const { command } = config.build.web;
  const manager = await packageManagerOf(files, root);
  const settings = await readAppSettings(files, root);
  const adds = steps.some((step) => addsPlatform(step, target));
  const mayCopy = hasOwnStepBeforeCopy(steps, target);
  const commands = command === undefined ? steps : [command, ...steps];
  const lacks = [
    steps.some(installsPackages)
      ? null
      : await lackOfPackages(files, { root, target, manager, commands }),
    await lackOfSettings(files, root, { config, settings, manager, mayCopy }),
    adds ? null : await lackOfPlatform(files, root, { target, settings, manager }),
    ...target === "ios" && !adds ? await xcodeLacks(files, root, steps) : [],
  ];
  return lacks.filter((lack) => lack !== null);
}

async function lackOfSettings(
  files: Files,
  root: string,
  { config: { name, build }, settings, manager, mayCopy }: {
    readonly config: AppSteps["config"];
    readonly settings: AppSettings;
    readonly manager: PackageManager;
    /** Whether a step of the project's own may put the web build where Capacitor copies it from. */
    readonly mayCopy: boolean;
  },
): Promise<ProjectLack | null> {
  const { out } = build.web;
  if (isAsked(settings)) return null; // Capacitor is asked once a build has started
  if (settings === "none") {
    // A project may come from anywhere, and this line is typed.
    const app = name.replaceAll(/[^\p{L}\p{N} ._-]/gu, "");
    const folder = /^[\p{L}\p{N} ./_-]+$/u.test(out) ? shellWord(out) : "FOLDER";
    return {
      name: CONFIG,
      reason:
        "it is not there, expected the app's name, an id of your own and the web build's folder",
      fix: [...runCommand(manager, ["cap", "init"]), `"${app}"`, "com.example.game"].join(" ") +
        ` --web-dir ${folder}`,
    };
  }
  if (settings === "unusable") {
    return { name: CONFIG, reason: "it is not a JSON object", fix: `Correct ${CONFIG}` };
  }
  const webDir = settings["webDir"] ?? "www";
  // Windows would log in at the server of a network path.
  if (typeof webDir === "string" && !isNetworkPath(webDir)) {
    const at = async (path: string) =>
      await comparablePath(files, folderPlace(root, folderFrom(path, root)));
    if (mayCopy || await at(webDir) === await at(out)) return null;
  }
  return {
    name: CONFIG,
    reason:
      `its webDir is ${shownName(JSON.stringify(webDir))}, expected ${
        JSON.stringify(out)
      }: the web ` +
      "build's folder",
    fix: `Set "webDir": ${JSON.stringify(out)} in ${CONFIG}`,
  };
}

async function lackOfPlatform(
  files: Files,
  root: string,
  { target, settings, manager }: {
    readonly target: BuildTarget;
    readonly settings: AppSettings;
    readonly manager: PackageManager;
  },
): Promise<ProjectLack | null> {
  if (isAsked(settings)) return null;
  const path = platformPath(settings, target);
  // Windows would log in at the server of a network path.
  if (isNetworkPath(path) || await fileExists(files, folderPlace(root, path))) return null;
  return {
    name: `${shownName(path)}/`,
    reason: `the folder of the ${target} app is not there`,
    fix: runCommand(manager, ["cap", "add", target]).join(" "),
  };
}

/** Returns a name in a project's settings as messages show it. */
export function shownName(text: string): string {
  return escapeInvisible(text.slice(0, MAX_SHOWN));
}

/** The folder of the app of a target as settings name it; the target's name unless they name another. */
export function platformPath(settings: AppSettings, target: BuildTarget): string {
  const own = isRecord(settings) ? settings[target] : undefined;
  return isRecord(own) && typeof own["path"] === "string" ? own["path"].slice(0, MAX_PATH) : target;
}

async function fileExists(files: Files, path: string): Promise<boolean> {
  const found = await attempt(() => files.realPath(path));
  return !found.ok || found.value !== null; // Capacitor reports what cannot be read
}

type Settings = Readonly<Record<string, unknown>> | "none" | "unusable";
/**
 * The settings of an app; `programmed` if only Capacitor evaluates them, `shared` if they are in a file
 * outside the project's folder, to which a link leads.
 */
export type AppSettings = Settings | "programmed" | "shared";

/** Whether only Capacitor itself can evaluate the settings. */
export function isAsked(settings: AppSettings): settings is "programmed" | "shared" {
  return settings === "programmed" || settings === "shared";
}

/** Reads the settings of an app if Capacitor would read the JSON file: a program takes precedence. */
export async function readAppSettings(files: Files, root: string): Promise<AppSettings> {
  for (const path of PROGRAMMED) {
    if (await fileExists(files, `${root}/${path}`)) return "programmed";
  }
  return await readJson(files, root, CONFIG);
}

async function readJson(files: Files, root: string, path: string): Promise<AppSettings> {
  const read = await attempt(() => readInside(files, root, { path, maxBytes: MAX_BYTES }));
  if (read.ok && read.value === null) return "none";
  if (read.ok && read.value === "outside") return "shared";
  return await readJsonObject(files, root, path) ?? "unusable";
}
