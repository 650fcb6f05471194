import { attempt } from "../../core/attempt.ts";
import { escapeInvisible } from "../../core/invisible.ts";
import { isRecord } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import { readInside } from "../../editor/files/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { BuildTarget, PhoneTarget } from "../../toolchain/mod.ts";
import type { Command, ProjectConfig } from "../config/config.ts";
import { REPORTS } from "./capacitor-report.ts";
import type { ProjectLack } from "./project-lack.ts";

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
/** Maximum packages that a refusal names. */
const MAX_NAMED = 5;
/** Characters of a setting's value that are shown. */
const MAX_SHOWN = 80;
/** An npm package, with its scope. */
const PACKAGE = /^(?:@[\w-][\w.-]*\/)?[\w-][\w.-]*$/;

/** The steps that build an app as `npx cap add` makes it: one to try on a phone, one for Xcode's simulator. */
export function capacitorSteps(target: PhoneTarget): readonly Command[] {
  const sync: Command = ["npx", "cap", "sync", target];
  if (target === "android") return [sync, ["./android/gradlew", "-p", "android", "assembleDebug"]];
  const app = ["-project", "ios/App/App.xcodeproj", "-scheme", "App"];
  const to = ["-destination", "generic/platform=iOS Simulator"];
  return [sync, ["xcodebuild", ...app, ...to, "build"]];
}

/**
 * Finds the command with which the Capacitor of the steps reports its settings, and the index of its
 * step. The command changes nothing, and shows that Capacitor starts.
 *
 * @returns `null` without Capacitor, and before it is installed: `npx` would fetch another `cap`.
 */
export async function capacitorProbe(
  files: Files,
  { root, steps }: Pick<AppSteps, "root" | "steps">,
): Promise<{ readonly index: number; readonly command: Command } | null> {
  const index = steps.findIndex((step) => capacitorIn(step) !== null);
  const step = steps[index];
  const command = step === undefined ? null : capacitorIn(step);
  if (command === null || !await isInstalled(files, root, "@capacitor/cli")) return null;
  return { index, command: [...command, ...REPORTS] };
}

/**
 * Reads the oldest Node that the app's Capacitor supports, as three numbers.
 *
 * @returns `null` if its package.json does not state it in the form `>=22.0.0`.
 */
export async function leastNode(files: Files, root: string): Promise<string | null> {
  const folder = await packageFolder(files, root, "@capacitor/cli");
  const manifest = folder === null ? "none" : await readJson(files, folder, "package.json");
  const engines = isRecord(manifest) ? manifest["engines"] : undefined;
  const range = isRecord(engines) ? engines["node"] : undefined;
  const found = /^\s*>=\s*(\d{1,5})(?:\.(\d{1,5}))?(?:\.(\d{1,5}))?\s*$/.exec(`${range}`);
  return found === null ? null : found.slice(1).map((part) => part ?? "0").join(".");
}

/**
 * Finds Capacitor in a command: `npx cap sync android`, `node_modules/.bin/cap sync ios`.
 *
 * @returns The command up to `cap`; `null` for any other.
 */
export function capacitorIn(command: Command): Command | null {
  const [program, ...args] = command;
  const isCapacitor = (word: string) => /(?:^|[\\/])cap(?:acitor)?(?:\.cmd)?$/.test(word);
  if (isCapacitor(program)) return [program];
  const at = args.findIndex((word) => !word.startsWith("-"));
  const runsAnother = /^(?:npx|pnpx|bunx)$/.test(program) && isCapacitor(args[at] ?? "");
  return runsAnother ? [program, ...args.slice(0, at + 1)] : null;
}

/**
 * Finds missing parts of a Capacitor app's project, in the order in which to fix them: packages,
 * settings, the platform's folder. Runs nothing.
 */
export async function projectLacks(
  files: Files,
  { root, config, target, steps }: AppSteps,
): Promise<readonly ProjectLack[]> {
  if (target === "web" || !steps.some((step) => capacitorIn(step) !== null)) return [];
  const words = new Set(steps.flat());
  const installs = words.has("install") || words.has("ci");
  const settings = await readSettings(files, root);
  const lacks = [
    installs
      ? null
      : await lackOfPackages(files, root, target) ?? await lackOfOneMajor(files, root, target),
    lackOfSettings({ config, settings }),
    words.has("add") ? null : await lackOfPlatform(files, root, { target, settings }),
  ];
  return lacks.filter((lack) => lack !== null);
}

async function lackOfPackages(
  files: Files,
  root: string,
  target: BuildTarget,
): Promise<ProjectLack | null> {
  const manifest = await readJson(files, root, "package.json");
  const named = [...namesIn(manifest, "dependencies"), ...namesIn(manifest, "devDependencies")];
  const needed = packagesFor(target);
  const absent: string[] = [];
  for (const name of new Set([...needed, ...named])) {
    if (!await isInstalled(files, root, name)) absent.push(name);
  }
  if (absent.length === 0) return null;
  const more = absent.length - MAX_NAMED;
  const unnamed = needed.filter((name) => absent.includes(name) && !named.includes(name));
  return {
    name: "node_modules",
    reason: `found no ${absent.slice(0, MAX_NAMED).join(", ")}` +
      (more > 0 ? ` and ${more} more` : "") +
      (unnamed.length === 0 ? ", which package.json names" : ""),
    // Bare names are installed in the newest version for this Node, which differs from one to the other.
    fix: ["npm install", ...unnamed.map((name) => `${name}@latest`)].join(" "),
  };
}

function packagesFor(target: BuildTarget): readonly string[] {
  return ["core", "cli", target].map((name) => `@capacitor/${name}`);
}

/** Checks that all packages of Capacitor have one major version: another one does not build the app. */
async function lackOfOneMajor(
  files: Files,
  root: string,
  target: BuildTarget,
): Promise<ProjectLack | null> {
  const names = packagesFor(target);
  const versions = await Promise.all(names.map(async (name) => {
    const folder = await packageFolder(files, root, name);
    const manifest = folder === null ? "none" : await readJson(files, folder, "package.json");
    const version = isRecord(manifest) ? manifest["version"] : undefined;
    return typeof version === "string" ? /^\d+/.exec(version)?.[0] : undefined;
  }));
  const known = versions.filter((major) => major !== undefined);
  const [wanted] = known;
  if (wanted === undefined || known.every((major) => major === wanted)) return null;
  const found = names.flatMap((name, index) => {
    const major = versions[index];
    return major === undefined ? [] : [`${name} ${major}`];
  });
  return {
    name: "node_modules",
    reason: `found ${found.join(", ")}: expected one major version`,
    fix: `npm install ${names.map((name) => `${name}@${wanted}`).join(" ")}`,
  };
}

async function isInstalled(files: Files, root: string, name: string): Promise<boolean> {
  return await packageFolder(files, root, name) !== null;
}

/** Finds a package where Node would: in the project, and in the folders above it. */
async function packageFolder(files: Files, root: string, name: string): Promise<string | null> {
  for (let folder = root;; folder = folder.replace(/[\\/][^\\/]*$/, "")) {
    const found = `${folder}/node_modules/${name}`;
    const manifest = await attempt(() => files.stat(`${found}/package.json`));
    if (manifest.ok && manifest.value?.kind === "file") return found;
    if (!/[\\/]/.test(folder)) return null;
  }
}

function lackOfSettings({ config: { name, build }, settings }: {
  readonly config: AppSteps["config"];
  readonly settings: AppSettings;
}): ProjectLack | null {
  const { out } = build.web;
  if (settings === "programmed") return null; // Capacitor is asked once a build has started
  if (settings === "none") {
    // A project may come from anywhere, and this line is typed.
    const app = name.replaceAll(/[^\p{L}\p{N} ._-]/gu, "");
    const folder = /^[\w./-]+$/.test(out) ? out : "FOLDER";
    return {
      name: CONFIG,
      reason:
        "it is not there, expected the app's name, an id of your own and the web build's folder",
      fix: `npx cap init "${app}" com.example.game --web-dir ${folder}`,
    };
  }
  if (settings === "unusable") {
    return { name: CONFIG, reason: "it is not a JSON object", fix: `Correct ${CONFIG}` };
  }
  const webDir = settings["webDir"] ?? "www";
  if (typeof webDir === "string" && webDir.replace(/^\.\/+|\/+$/g, "") === out) return null;
  return {
    name: CONFIG,
    reason:
      `its webDir is ${shown(JSON.stringify(webDir))}, expected ${JSON.stringify(out)}: the web ` +
      "build's folder",
    fix: `Set "webDir": ${JSON.stringify(out)} in ${CONFIG}`,
  };
}

async function lackOfPlatform(
  files: Files,
  root: string,
  { target, settings }: { readonly target: BuildTarget; readonly settings: AppSettings },
): Promise<ProjectLack | null> {
  if (settings === "programmed") return null;
  const own = isRecord(settings) ? settings[target] : undefined;
  const path = isRecord(own) && typeof own["path"] === "string" ? own["path"] : target;
  if (await isThere(files, `${root}/${path}`)) return null;
  return {
    name: `${shown(path)}/`,
    reason: `the folder of the ${target} app is not there`,
    fix: `npx cap add ${target}`,
  };
}

function shown(text: string): string {
  return escapeInvisible(text.slice(0, MAX_SHOWN));
}

async function isThere(files: Files, path: string): Promise<boolean> {
  const found = await attempt(() => files.realPath(path));
  return !found.ok || found.value !== null; // Capacitor reports what cannot be read
}

type Settings = Readonly<Record<string, unknown>> | "none" | "unusable";
type AppSettings = Settings | "programmed";

/** Reads the settings of an app if Capacitor would read the JSON file: a program takes precedence. */
async function readSettings(files: Files, root: string): Promise<AppSettings> {
  for (const path of PROGRAMMED) if (await isThere(files, `${root}/${path}`)) return "programmed";
  return await readJson(files, root, CONFIG);
}

async function readJson(files: Files, root: string, path: string): Promise<Settings> {
  const read = await attempt(() => readInside(files, root, { path, maxBytes: MAX_BYTES }));
  if (read.ok && read.value === null) return "none";
  const value = read.ok && read.value !== null && read.value !== "outside"
    ? parseJson(read.value.bytes)
    : undefined;
  return isRecord(value) ? value : "unusable";
}

function namesIn(manifest: Settings, part: string): readonly string[] {
  const named = isRecord(manifest) ? manifest[part] : undefined;
  return isRecord(named) ? Object.keys(named).filter((name) => PACKAGE.test(name)) : [];
}
