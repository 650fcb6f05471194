import { isRecord } from "../../core/json.ts";
import type { Files } from "../../ports/files.ts";
import type { Command } from "../config/config.ts";
import { capacitorCall } from "./capacitor-command.ts";
import { isManager, type PackageManagerName, programName, runCommand } from "./package-manager.ts";
import { readJsonObject } from "./plan/project-text.ts";

// A step may run Capacitor by a script of package.json: `npm run sync`, with `"sync": "cap sync android"`.

/** A script of one command, which means the same without a shell. */
const ONE_COMMAND = /^[\w@./:=-]+(?: +[\w@./:=-]+)*$/;

/** A step that runs a script of package.json. */
interface ScriptRun {
  readonly manager: PackageManagerName;
  /** The name of the script. */
  readonly name: string;
  /** The words that the step adds to the script. */
  readonly args: readonly string[];
}

/**
 * Returns the steps with the command of Capacitor in place of each script that runs only that (TOOL-14).
 * Every other step stays as it is, and all keep their places. Runs nothing.
 *
 * @param root The project's folder, absolute.
 */
export async function throughScripts(
  files: Files,
  root: string,
  steps: readonly Command[],
): Promise<readonly Command[]> {
  if (steps.every((step) => scriptRun(step) === null)) return steps;
  const { scripts } = await readJsonObject(files, root, "package.json") ?? {};
  return isRecord(scripts) ? steps.map((step) => capacitorOf(step, scripts) ?? step) : steps;
}

function capacitorOf(step: Command, scripts: Readonly<Record<string, unknown>>): Command | null {
  const run = scriptRun(step);
  if (run === null) return null;
  const { manager, name, args } = run;
  const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (typeof script !== "string" || !ONE_COMMAND.test(script)) return null;
  // Commands before and after it may build what Capacitor copies.
  if ([`pre${name}`, `post${name}`].some((each) => Object.hasOwn(scripts, each))) return null;
  const [program = "", ...words] = [...script.split(/ +/), ...args];
  // Scripts find the programs of the project's packages by their names.
  const command: Command = /^cap(?:acitor)?$/.test(program)
    ? runCommand({ name: manager }, [program, ...words])
    : [program, ...words];
  return capacitorCall(command) === null ? null : command;
}

function scriptRun(step: Command): ScriptRun | null {
  const [program, ...all] = step;
  const manager = programName(program);
  if (!isManager(manager) || capacitorCall(step) !== null) return null;
  const isQuiet = all[0] === "-s" || all[0] === "--silent";
  const words = isQuiet ? all.slice(1) : all;
  const runs = words[0] === "run" || words[0] === "run-script";
  if (!runs && manager === "npm") return null;
  const [name, ...args] = runs ? words.slice(1) : words;
  const own = args.indexOf("--");
  const toManager = own < 0 ? args : args.slice(0, own);
  // A flag of the package manager, such as one that names another folder.
  if (name === undefined || name.startsWith("-")) return null;
  if (manager === "npm" && toManager.some((word) => word.startsWith("-"))) return null;
  return { manager, name, args: args.filter((_, index) => index !== own) };
}
