import { attempt } from "../../core/attempt.ts";
import { isRecord } from "../../core/json.ts";
import type { Files } from "../../ports/files.ts";
import type { Command } from "../config/config.ts";
import { folderAbove, headOf, isFile, readJsonObject, readText } from "./plan/project-text.ts";
import { isMember, pnpmMembers } from "./workspace.ts";

// Each package manager has its own lock file and its own way to lay packages out. Another one would write
// a second lock file next to it, or does not understand what package.json asks for (`workspace:*`).

/** A program that installs the packages of projects. */
export type PackageManagerName = "npm" | "pnpm" | "yarn" | "bun";

/** The package manager of a project. */
export interface PackageManager {
  readonly name: PackageManagerName;
  /** The file that shows it, below {@linkcode folder}; `null` without any: then npm is as good as another. */
  readonly from: string | null;
  /** The folder that it installs for, absolute: of the project, or of the workspace that has it. */
  readonly folder: string;
  /** Whether that folder is the root of a workspace. */
  readonly isWorkspace: boolean;
  /**
   * Whether it is in a workspace of pnpm that does not name the project: there pnpm installs what the
   * workspace has, unless it is told to ignore it.
   */
  readonly isLeftOut: boolean;
  /** Whether it is Yarn 1, whose commands differ from later ones. */
  readonly isClassic: boolean;
  /** The file of that folder that names the place of every package, where there is no node_modules (Plug'n'Play). */
  readonly map: string | null;
}

const PNPM_WORKSPACE = "pnpm-workspace.yaml";

/** Lock files, and what else only one manager writes: the less usual manager first, as npm's are left over. */
const SIGNS: readonly (readonly [file: string, name: PackageManagerName])[] = [
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["pnpm-lock.yaml", "pnpm"],
  [PNPM_WORKSPACE, "pnpm"],
  ["yarn.lock", "yarn"],
  [".pnp.cjs", "yarn"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
];

/** Files that a manager leaves among the packages that it installed. */
const TRACES: readonly (readonly [file: string, name: PackageManagerName])[] = [
  ["node_modules/.modules.yaml", "pnpm"],
  ["node_modules/.yarn-state.yml", "yarn"],
  ["node_modules/.yarn-integrity", "yarn"],
  ["node_modules/.package-lock.json", "npm"],
];

/** Files of Plug'n'Play. */
const MAPS = [".pnp.cjs", ".pnp.js"];

/**
 * Finds the package manager of a project: by the `packageManager` or `devEngines` of its package.json, by
 * the workspace that has the project as a member, by the lock file. Where lock files of several are there,
 * the one that installed the packages counts. Only reads files (TOOL-14).
 *
 * @param root The project's folder, absolute.
 */
export async function packageManagerOf(files: Files, root: string): Promise<PackageManager> {
  const { folder: workspace, isLeftOut } = await workspaceOf(files, root);
  const folder = workspace ?? root;
  const shown = await namedAt(files, root) ??
    (workspace === null ? null : await namedAt(files, workspace)) ??
    await signIn(files, folder) ?? await signIn(files, root) ?? NPM;
  return { ...await managerAt(files, folder, shown), isLeftOut };
}

interface Shown {
  readonly name: PackageManagerName;
  readonly from: string | null;
  /** Its text in package.json. */
  readonly version?: string;
}

const NPM: Shown = { name: "npm", from: null };

/** The manager that a package.json names: `"packageManager": "pnpm@9.1.0+sha512.…"`, `devEngines`. */
async function namedAt(files: Files, folder: string): Promise<Shown | null> {
  const { packageManager, devEngines } = await readJsonObject(files, folder, "package.json") ?? {};
  const named = typeof packageManager === "string" ? packageManager : "";
  const [, field, version = ""] = /^(npm|pnpm|yarn|bun)@(\d[\w.-]*)/.exec(named) ?? [];
  if (isManager(field)) return { name: field, from: "package.json", version };
  const engines = isRecord(devEngines) ? [devEngines["packageManager"]].flat() : [];
  for (const engine of engines) {
    if (!isRecord(engine) || !isManager(engine["name"])) continue;
    const version = typeof engine["version"] === "string" ? engine["version"] : "";
    return { name: engine["name"], from: "package.json", version };
  }
  return null;
}

/** Whether a name is that of a package manager. */
export function isManager(name: unknown): name is PackageManagerName {
  return name === "npm" || name === "pnpm" || name === "yarn" || name === "bun";
}

async function signIn(files: Files, folder: string): Promise<Shown | null> {
  const found: Shown[] = [];
  for (const [from, name] of SIGNS) {
    if (await isFile(files, `${folder}/${from}`)) found.push({ name, from });
  }
  if (new Set(found.map(({ name }) => name)).size < 2) return found[0] ?? null;
  for (const [trace, name] of TRACES) {
    const own = found.find((sign) => sign.name === name);
    if (own !== undefined && await isFile(files, `${folder}/${trace}`)) return own;
  }
  return found[0] ?? null;
}

async function managerAt(
  files: Files,
  folder: string,
  { name, from, version }: Shown,
): Promise<Omit<PackageManager, "isLeftOut">> {
  const maps = await Promise.all(
    MAPS.map(async (map) => await isFile(files, `${folder}/${map}`) ? map : null),
  );
  const manifest = await readJsonObject(files, folder, "package.json");
  const isWorkspace = name === "pnpm"
    ? await isFile(files, `${folder}/${PNPM_WORKSPACE}`)
    : manifest?.["workspaces"] !== undefined;
  const isClassic = name === "yarn" &&
    (version === undefined
      ? (await headOf(files, folder, "yarn.lock")).includes("yarn lockfile v1")
      : /^[\^~]?1\b/.test(version));
  const map = maps.find((each) => each !== null) ?? null;
  return { name, from, folder, isWorkspace, isClassic, map };
}

/** The workspace of a project. */
interface Workspace {
  /** The nearest folder above whose workspace has the project as a member. */
  readonly folder: string | null;
  /** Whether the nearest `pnpm-workspace.yaml`, which pnpm takes, does not have it. */
  readonly isLeftOut: boolean;
}

async function workspaceOf(files: Files, root: string): Promise<Workspace> {
  const own = await attempt(() => files.realPath(root));
  const start = own.ok && own.value !== null ? own.value : root;
  // pnpm looks for the nearest file alone, in the project's own folder first.
  let isPnpm = await readText(files, start, PNPM_WORKSPACE) === null;
  let isLeftOut = false;
  for (let folder = folderAbove(start); folder !== null; folder = folderAbove(folder)) {
    const member = start.slice(folder.length + 1).replaceAll("\\", "/");
    const yaml = isPnpm ? await readText(files, folder, PNPM_WORKSPACE) : null;
    if (yaml !== null) {
      if (isMember(member, pnpmMembers(yaml))) return { folder, isLeftOut };
      [isPnpm, isLeftOut] = [false, true];
    }
    const manifest = await readJsonObject(files, folder, "package.json");
    const { workspaces } = manifest ?? {};
    const globs = isRecord(workspaces) ? workspaces["packages"] : workspaces;
    const patterns: readonly unknown[] = Array.isArray(globs) ? globs : [];
    if (isMember(member, patterns.filter((each) => typeof each === "string"))) {
      return { folder, isLeftOut };
    }
  }
  return { folder: null, isLeftOut };
}

/**
 * The command that installs what package.json and the lock file ask for, in the project's folder.
 *
 * @param packages Packages to add to package.json, as `name@version`.
 */
export function installCommand(
  { name, isWorkspace, isLeftOut, isClassic, folder }: PackageManager,
  { root, packages = [] }: { readonly root: string; readonly packages?: readonly string[] },
): string {
  const alone = name === "pnpm" && isLeftOut ? ["--ignore-workspace"] : [];
  if (packages.length === 0) return [`${name} install`, ...alone].join(" ");
  if (name === "npm") return ["npm install", ...packages].join(" ");
  // At the root of a workspace both ask whether the package is really for the root.
  const atRoot = isWorkspace && folder === root;
  const flag = !atRoot ? alone : name === "pnpm" ? ["-w"] : isClassic ? ["-W"] : [];
  return [`${name} add`, ...flag, ...packages].join(" ");
}

const RUNS: Readonly<Record<PackageManagerName, Command>> = {
  npm: ["npx"],
  pnpm: ["pnpm", "exec"],
  yarn: ["yarn"],
  bun: ["bunx"],
};

/** The command that runs a program of the project's packages. */
export function runCommand(
  { name }: Pick<PackageManager, "name">,
  words: readonly string[],
): Command {
  const [program, ...args] = RUNS[name];
  return [program, ...args, ...words];
}

/** Whether a command installs the packages of a project: `npm ci`, `pnpm i`, `yarn`. */
export function installsPackages([program, ...args]: Command): boolean {
  const name = programName(program);
  const words = args.filter((word) => !word.startsWith("-"));
  return isManager(name) && (name === "yarn" && words.length === 0 ||
    /^(?:add|ci|clean-install|i|install)$/.test(words[0] ?? ""));
}

/** The name of a program, without its folder and the endings of Windows: `npx` of `C:\\node\\npx.cmd`. */
export function programName(program: string): string {
  return program.replace(/^.*[\\/]/, "").replace(/\.(?:cmd|exe|bat|ps1)$/i, "");
}
