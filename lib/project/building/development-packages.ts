import { isRecord, own } from "../../core/json.ts";
import type { Files } from "../../ports/files.ts";
import type { Command } from "../config/config.ts";
import { capacitorIn } from "./capacitor-command.ts";
import { isManager, programName } from "./package-manager.ts";
import { isFile, readText } from "./plan/project-text.ts";

// A server that builds often installs no development packages (`npm ci --omit=dev`). Whether a build can
// do without them follows from its commands.

/** Programs whose name is not that of their package, by package. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  typescript: ["tsc"],
  "webpack-cli": ["webpack"],
  "@angular/cli": ["ng"],
  "@ionic/cli": ["ionic"],
  "@vue/cli-service": ["vue-cli-service"],
  "@quasar/app-vite": ["quasar"],
  "@quasar/app-webpack": ["quasar"],
  "@sveltejs/kit": ["svelte-kit"],
  "@tailwindcss/cli": ["tailwindcss"],
  "npm-run-all": ["run-s", "run-p"],
  "npm-run-all2": ["run-s", "run-p"],
};

/** Maximum scripts of package.json that are followed, as one may run others, and of files that are read. */
const MAX_SCRIPTS = 50;
/** A package that an import names, with what follows its name: `"vite"`, `'vite/client'`. */
const IMPORTED = /(["'])(?=((?:@[\w.-]+\/)?[\w.-]+)(?:\/|\1))/g;
/** A file of the project that Node, Deno or Bun runs. */
const IS_SCRIPT = /^(?![-/])[^\\]+\.[cm]?[jt]s$/;

/** A build's commands, and the project that they run in. */
interface Development {
  readonly root: string;
  readonly commands: readonly Command[];
  readonly manifest: Readonly<Record<string, unknown>> | null;
  /** The names of the development packages. */
  readonly development: readonly string[];
}

/**
 * Whether a build uses any of its project's development packages: a command, or a script of package.json
 * that it runs, names one or its program; a script for Node imports one; the settings of Capacitor are in
 * TypeScript. Then it is taken to need all: what the settings of a bundler load is not known.
 */
export async function usesDevelopment(
  files: Files,
  { root, commands, manifest, development }: Development,
): Promise<boolean> {
  const used = development.filter((name) => !name.startsWith("@types/")); // which nothing runs
  const programs = new Set(
    used.flatMap((name) => [name, name.replace(/^@[^/]*\//, ""), ...own(PROGRAMS, name) ?? []]),
  );
  if (programs.has("typescript") && await isFile(files, `${root}/capacitor.config.ts`)) return true;
  const scripts = isRecord(manifest?.["scripts"]) ? manifest["scripts"] : {};
  const others = commands.filter((command) => capacitorIn(command) === null);
  let read = 0;
  for (const word of new Set(others.flatMap((command) => wordsOf(command, scripts)))) {
    if (programs.has(word.replace(/^.*[\\/]\.bin[\\/]/, "").replace(/\.cmd$/, ""))) return true;
    if (!IS_SCRIPT.test(word) || read++ >= MAX_SCRIPTS) continue;
    if (await imports(files, root, { path: word, names: used })) return true;
  }
  return false;
}

/** The words of a command, and of the scripts of package.json that it has run, in turn. */
function wordsOf(
  command: Command,
  scripts: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (!isManager(programName(command[0]))) return command;
  const words = new Set(command.slice(1));
  let followed = 0;
  for (const word of words) { // also visits words that the loop adds
    for (const name of [`pre${word}`, word, `post${word}`]) {
      const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
      if (typeof script !== "string" || followed++ >= MAX_SCRIPTS) continue;
      for (const each of script.split(/[\s;&|()"'`]+/)) words.add(each);
    }
  }
  return [...words];
}

/** Whether a script of the project names one of the packages, as an import does. */
async function imports(
  files: Files,
  root: string,
  { path, names }: { readonly path: string; readonly names: readonly string[] },
): Promise<boolean> {
  const text = await readText(files, root, path.replace(/^\.\//, "")) ?? "";
  const imported = new Set([...text.matchAll(IMPORTED)].map(([, , name]) => name));
  return names.some((name) => imported.has(name));
}
