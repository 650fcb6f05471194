import { own } from "../../core/json.ts";
import type { PhoneTarget } from "../../toolchain/mod.ts";
import type { Command } from "../config/config.ts";
import { programName } from "./package-manager.ts";

// The many ways in which a step may run Capacitor's command line.

/** A command of Capacitor. */
export interface CapacitorCall {
  /** The command up to Capacitor: `npx cap`, `pnpm exec cap`. */
  readonly program: Command;
  /** The words after it: `sync android`. */
  readonly args: readonly string[];
}

/** The program by its name or path, the package, and the file that it is in. */
const CAPACITOR =
  /^(?:.*[\\/])?cap(?:acitor)?(?:\.cmd)?$|^(?:npm:)?@capacitor\/cli(?:@[^\\/]*)?$|[\\/]@capacitor[\\/]cli(?:[\\/]|$)/;

/** Subcommands that run a package's program. A runner without any takes the program's name directly. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  pnpx: [],
  bunx: [],
  npm: ["exec", "x"],
  pnpm: ["exec", "dlx"],
  yarn: ["run", "exec", "dlx"],
  bun: ["run", "x"],
  node: [],
  deno: ["run", "x"],
};
/** Programs that run nothing of a package without such a word. */
const NEEDS_WORD = ["npm", "deno"];

/** Programs that run the command after them, behind these words. */
const WRAPPERS: Readonly<Record<string, readonly string[]>> = {
  env: [],
  "cross-env": [],
  corepack: [],
  nice: [],
  volta: ["run"],
  mise: ["exec", "x"],
  asdf: ["exec"],
  fnm: ["exec"],
  nodenv: ["exec"],
};

/** Maximum wrappers around one another. */
const MAX_WRAPPERS = 8;

/** Flags that take the next word as their value. */
const VALUED =
  /^(?:-[pwCFr]|--(?:package|workspace|prefix|cwd|dir|filter|require|import|loader|using|node|env-file))$/;

/**
 * Finds Capacitor in a command: `npx cap sync android`, `node_modules/.bin/cap sync ios`, `yarn cap sync`,
 * `ionic cap sync` (which runs `npx cap`).
 *
 * @returns The command up to Capacitor; `null` for any other.
 */
export function capacitorIn(command: Command): Command | null {
  return capacitorCall(command)?.program ?? null;
}

/** Finds Capacitor as {@linkcode capacitorIn} does, with its arguments. @param depth Wrappers around it. */
export function capacitorCall(command: Command, depth = 0): CapacitorCall | null {
  const [program, ...args] = command;
  if (CAPACITOR.test(program)) return { program: [program], args };
  const name = programName(program);
  if (name === "ionic") return ofIonic(["npx"], args);
  const wrapped = own(WRAPPERS, name);
  if (wrapped !== undefined) {
    const at = commandAt(args, wrapped);
    const [inner, ...more] = args.slice(at);
    const call = inner !== undefined && depth < MAX_WRAPPERS
      ? capacitorCall([inner, ...more], depth + 1)
      : null;
    return call && { ...call, program: [program, ...args.slice(0, at), ...call.program] };
  }
  const words = own(RUNNERS, name);
  return words === undefined ? null : inPackages(program, args, words);
}

/** Whether a command has Capacitor add the own project of an app: `cap add android`. */
export function addsPlatform(command: Command, target: PhoneTarget): boolean {
  return isFor(command, target) && wordsOf(command)[0] === "add";
}

/** Whether a command of Capacitor copies the web build into the app of a target. */
export function copiesInto(command: Command, target: PhoneTarget): boolean {
  const args = capacitorCall(command)?.args ?? [];
  return isFor(command, target) && !args.includes("--no-sync") &&
    /^(?:add|copy|run|sync)$/.test(wordsOf(command)[0] ?? "");
}

/** Whether a command of Capacitor is for a target: without a platform it is for all. */
function isFor(command: Command, target: PhoneTarget): boolean {
  const words = wordsOf(command);
  const other = target === "android" ? "ios" : "android";
  return words.includes(target) || !words.includes(other);
}

/** The arguments of Capacitor, without flags: its own command comes first. */
function wordsOf(command: Command): readonly string[] {
  return (capacitorCall(command)?.args ?? []).filter((word) => !word.startsWith("-"));
}

/** Finds Capacitor behind a program that runs those of packages. */
function inPackages(
  program: string,
  args: readonly string[],
  words: readonly string[],
): CapacitorCall | null {
  let at = wordAt(args, 0);
  if (words.includes(args[at] ?? "")) at = wordAt(args, at + 1);
  else if (NEEDS_WORD.includes(programName(program))) return null;
  // npm takes flags for its own, those of the program too, unless two dashes are before it.
  const dashes = programName(program) === "npm" && !args.includes("--") ? ["--"] : [];
  const before: Command = [program, ...args.slice(0, at), ...dashes];
  const word = args[at] ?? "";
  if (/^(?:ionic|@ionic\/cli)(?:@[^\\/]*)?$/.test(word)) return ofIonic(before, args.slice(at + 1));
  const isFile = programName(program) === "node";
  if (!CAPACITOR.test(word) || (isFile && !/[\\/]/.test(word))) return null;
  return { program: [...before, word], args: args.slice(at + 1) };
}

/** Ionic's command line has Capacitor's: it builds the web part, and then runs that. */
function ofIonic(before: Command, args: readonly string[]): CapacitorCall | null {
  return /^cap(?:acitor)?$/.test(args[0] ?? "")
    ? { program: [...before, "cap"], args: args.slice(1) }
    : null;
}

/** The index of the next word that is neither a flag nor a flag's value. */
function wordAt(args: readonly string[], from: number): number {
  let at = from;
  while (at < args.length && args[at]?.startsWith("-")) at += VALUED.test(args[at] ?? "") ? 2 : 1;
  return at;
}

/** The index of the command that a wrapper runs: behind its own word, flags, variables and versions. */
function commandAt(args: readonly string[], words: readonly string[]): number {
  let at = wordAt(args, 0);
  if (words.includes(args[at] ?? "")) at = wordAt(args, at + 1);
  while (/^\w+=|^@?[\w-]+@[\w.]+$/.test(args[at] ?? "")) at = wordAt(args, at + 1);
  return at;
}
