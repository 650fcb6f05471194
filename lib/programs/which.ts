import type { SyncStat } from "../ports/files.ts";
import type { Platform } from "../ports/host.ts";
import { hostPaths } from "./host-paths.ts";

/** Options of a search for programs. */
export interface LookupOptions {
  /** The operating system. */
  readonly platform: Platform;
  /** The environment that holds `PATH` and, on Windows, `PATHEXT`. */
  readonly env: Readonly<Record<string, string>>;
  /** Looks at single paths. */
  readonly stat: SyncStat;
}

/** Extensions that Windows can start itself. */
const STARTABLE = [".com", ".exe", ".bat", ".cmd"];

/**
 * Finds a program on PATH (FIND-6): folder by folder, on Windows by PATHEXT within each.
 *
 * The current folder, empty and relative entries are never searched: a project must not be able to
 * plant a tool. On Windows a file without an extension is never taken, nor is a 0-byte store alias.
 *
 * @param name A bare name; one with a separator is not looked up.
 * @returns The absolute path, or `null`.
 */
export function whichSync(name: string, options: LookupOptions): string | null {
  return searchPath(name, options)[0] ?? null;
}

/** Returns every place on PATH where {@linkcode whichSync} would find `name`, in its order. */
export function searchPath(name: string, options: LookupOptions): string[] {
  return pathFolders(options).flatMap((folder) => programsIn(folder, name, options));
}

/** The absolute folders of PATH, in order, each once. */
export function pathFolders({ env, platform }: Omit<LookupOptions, "stat">): string[] {
  const paths = hostPaths(platform);
  const key = paths.environmentKey(env, "PATH");
  const path = key === undefined ? "" : env[key] ?? "";
  const entries = platform === "win32" ? splitQuoted(path) : path.split(paths.delimiter);
  return [...new Set(entries.filter((entry) => paths.isAbsolute(entry)))];
}

/** The programs called `name` in one folder: at most one, but on Windows one an extension. */
export function programsIn(folder: string, name: string, options: LookupOptions): string[] {
  if (name === "" || /[\\/]/.test(name)) return [];
  const paths = hostPaths(options.platform);
  return fileNames(name, options)
    .map((file) => paths.join(folder, file))
    .filter((path) => isProgram(path, options));
}

/**
 * Finds the program at an absolute path from settings; on Windows the extension may be missing.
 *
 * @returns The path of the file, or `null` if none can be started.
 */
export function programAt(path: string, options: LookupOptions): string | null {
  const name = hostPaths(options.platform).name(path);
  if (name === "") return null;
  const folder = path.slice(0, path.length - name.length);
  const found = fileNames(name, options).map((file) => folder + file);
  return found.find((candidate) => isProgram(candidate, options)) ?? null;
}

function isProgram(path: string, { platform, stat }: LookupOptions): boolean {
  const facts = stat(path);
  if (facts.kind !== "file") return false;
  if (platform !== "win32") return facts.executable;
  // An alias of the store starts a shop window, not the program.
  return facts.size > 0 || !/[\\/]WindowsApps[\\/][^\\/]+$/i.test(path);
}

function fileNames(name: string, { platform, env }: LookupOptions): string[] {
  if (platform !== "win32") return [name];
  const key = hostPaths(platform).environmentKey(env, "PATHEXT");
  const listed = (key === undefined ? "" : env[key] ?? "")
    .split(";")
    .map((extension) => extension.trim().toLowerCase())
    .filter((extension) => STARTABLE.includes(extension));
  const extensions = listed.length > 0 ? [...new Set(listed)] : STARTABLE;
  const named = extensions.some((extension) => name.toLowerCase().endsWith(extension));
  const extended = extensions.map((extension) => name + extension);
  return named ? [name, ...extended] : extended;
}

/** Splits at `;` outside double quotes and drops the quotes: `"C:\a;b";C:\c` is two entries. */
function splitQuoted(path: string): string[] {
  const entries: string[] = [];
  let entry = "";
  let quoted = false;
  for (const character of path) {
    if (character === '"') quoted = !quoted;
    else if (character === ";" && !quoted) {
      entries.push(entry.trim());
      entry = "";
    } else entry += character;
  }
  return [...entries, entry.trim()];
}
