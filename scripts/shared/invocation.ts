import { existsSync, realpathSync } from "node:fs";
import {
  basename,
  delimiter,
  dirname,
  extname,
  isAbsolute,
  join,
  relative,
  resolve,
} from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { shellWord } from "../../lib/core/shell-word.ts";

/** The program's name in a bundle of some of its commands, which defines it. */
declare const SLIPWAY_PROGRAM: string | undefined;

/** Inputs of {@linkcode invocationOf}. */
export interface Start {
  /** The program's name, and its package's: `slipway` unless given. */
  readonly name?: string;
  /** The script given to the runtime: a path or an address. */
  readonly started: string;
  /** The file of the program `slipway`; of the sources or of dist/. */
  readonly program: string;
  /** The working folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Name and path of the runtime. */
  readonly runtime: { readonly name: "deno" | "node"; readonly path: string };
  /** Whether it runs on Windows. */
  readonly onWindows?: boolean;
  /** Whether a file is there. */
  readonly exists: (path: string) => boolean;
}

/** Returns how the user runs the program's commands: `npx slipway`, `npm run slipway --`. */
export function invocation(): string {
  const { deno } = process.versions;
  if (!import.meta.url.startsWith("file:")) return "deno run -A jsr:@slipway/slipway/cli";
  const here = fileURLToPath(import.meta.url);
  const started = process.argv[1] ?? "";
  const bundle = typeof SLIPWAY_PROGRAM === "undefined" ? null : SLIPWAY_PROGRAM;
  return invocationOf({
    name: bundle ?? "slipway",
    started,
    // A bundle has no file of the program besides the one that was started.
    program: bundle === null ? join(dirname(here), "..", `slipway${extname(here)}`) : started,
    cwd: process.cwd(),
    env: process.env,
    runtime: { name: deno === undefined ? "node" : "deno", path: process.execPath },
    onWindows: process.platform === "win32",
    exists: existsSync,
  });
}

/** Returns whether a module is the main one. Node reports it since 24.2. */
export function isMain({ url, main }: { readonly url: string; readonly main?: boolean }): boolean {
  if (main !== undefined) return main;
  const started = process.argv[1] ?? "";
  return existsSync(started) && realpathSync(started) === fileURLToPath(url);
}

/** Decides {@linkcode invocation}. */
export function invocationOf(start: Start): string {
  const { name = "slipway", started, env, runtime, program, cwd } = start;
  const segments = started.split(/[/\\]/);
  if (segments.includes("node_modules")) return isGlobal(name, start) ? name : npx(name, start);
  if (/^slipway(?:-[a-z-]+)?$/.test(basename(started))) {
    const folder = dirname(started);
    return isOnPath(folder, start) ? name : shellWord(near(join(folder, name), cwd));
  }
  const root = checkoutOf(program);
  const isNpms = env["npm_package_json"] === join(root, "package.json");
  if (isNpms && env["npm_lifecycle_event"] !== undefined) {
    return npmRun(root, env["INIT_CWD"] ?? cwd, start);
  }
  const isNamed = foldersOfPath(start).some((folder) => hasProgram(folder, runtime.name, start));
  if (!isNamed && runtime.name === "deno") return npmRun(root, cwd, start); // Deno came from npm
  const words = runtime.name === "deno" ? ["deno", "run", "-A"] : ["node"];
  if (!isNamed) words[0] = shellWord(runtime.path);
  return [...words, shellWord(near(program, cwd))].join(" ");
}

function checkoutOf(program: string): string {
  const folder = dirname(dirname(program));
  return basename(folder) === "dist" ? dirname(folder) : folder;
}

/**
 * Returns the checkout's own script, from any folder. PowerShell would run npm's `npm.ps1`, which
 * drops `--`, and with it all flags (npm/cli 4903); `npm.cmd` works in any shell of Windows.
 */
function npmRun(root: string, cwd: string, { onWindows }: Start): string {
  const npm = onWindows === true ? "npm.cmd" : "npm";
  return isInside(root, cwd)
    ? `${npm} run slipway --`
    : `${npm} --prefix ${shellWord(near(root, cwd))} run slipway --`;
}

/**
 * Returns the program of a project, from any folder: outside of it npx would ask the registry for a
 * package of that name. A package fetched by npx itself is in a folder of npm's, and comes from
 * there again.
 */
function npx(name: string, start: Start): string {
  const project = resolve(start.cwd, outermost(start));
  const cwd = start.env["INIT_CWD"] ?? start.cwd;
  if (!foldersOfPath(start).some((folder) => hasProgram(folder, "npx", start))) {
    return shellWord(near(join(project, "node_modules", ".bin", name), cwd));
  }
  return isInside(project, cwd) || basename(dirname(project)) === "_npx"
    ? `npx ${name}`
    : `npx --prefix ${shellWord(near(project, cwd))} ${name}`;
}

/**
 * On Windows a global bin starts the file itself: its shim is next to the outermost node_modules.
 */
function isGlobal(name: string, start: Start): boolean {
  const folder = outermost(start);
  return hasProgram(folder, name, start) && isOnPath(folder, start);
}

/** Returns the folder of the first node_modules in the path of the started script. */
function outermost({ started }: Start): string {
  return /^(?:.*?[/\\])?(?=node_modules[/\\])/.exec(started)?.[0] ?? "";
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !/^\.\.(?:[/\\]|$)/.test(way) && !isAbsolute(way);
}

function isOnPath(folder: string, start: Start): boolean {
  return foldersOfPath(start).some((each) => relative(each, folder) === "");
}

function foldersOfPath({ env }: Start): readonly string[] {
  return (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "");
}

function hasProgram(folder: string, name: string, { exists }: Start): boolean {
  return ["", ".exe", ".cmd"].some((ending) => exists(join(folder, name + ending)));
}

/** Returns a path relative to the working folder if it is inside. */
function near(path: string, cwd: string): string {
  return isInside(cwd, path) ? relative(cwd, path) : path;
}
