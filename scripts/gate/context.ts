import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Executor, Ran } from "./exec.ts";
import { type House, readHouse } from "./house.ts";
import { failed, type Outcome, passed } from "./outcome.ts";
import type { Passes } from "./passes.ts";
import type { Reach } from "./reach.ts";
import type { Times } from "./times.ts";

/** Context of every step of the gate. */
export interface Context extends Executor {
  /** The checkout. */
  readonly root: string;
  /**
   * A folder outside the checkout, for programs that must not find the checkout's `node_modules`.
   */
  readonly scratch: string;
  /** A temporary folder in memory; `null` if there is none. */
  readonly memory: string | null;
  /** A folder inside the checkout that git ignores. */
  readonly cache: string;
  readonly deno: string;
  /** The Node to test under, with its version; `null` if there is none. */
  readonly node: { readonly path: string; readonly version: string } | null;
  /** The command of npm; `null` without npm, or without a Node to run it. */
  readonly npm: readonly string[] | null;
  /** Number of concurrent commands. */
  readonly places: number;
  /** The import graph, read once. */
  house(): Promise<House>;
  /** Earlier durations of test files here. */
  readonly times: Times;
  /** Parts that passed on this machine before. */
  readonly passes: Passes;
  /** The parts that a change reaches; `null` if everything runs. */
  readonly reach: Reach | null;
}

/** A context before the parts to run are known. */
export type Machine = Omit<Context, "passes" | "reach" | "times">;

/** Detects the machine's programs. */
export async function readMachine(
  executor: Executor,
  folders: Pick<Machine, "root" | "scratch" | "memory" | "places">,
): Promise<Machine> {
  const cwd = folders.root;
  const cache = join(cwd, ".cache", "gate");
  mkdirSync(cache, { recursive: true });
  const nodePath = process.env["SLIPWAY_NODE"] ?? "node";
  const node = await executor.exec(
    // Deno substitutes for a missing node, and must not be mistaken for it.
    [nodePath, "-p", "'Deno' in globalThis ? '' : process.version + ' ' + process.execPath"],
    { cwd },
  );
  const [version, ...path] = node.stdout.trim().split(" ");
  const npmCli = process.env["npm_execpath"] ?? "";
  const npm = /npm-cli\.c?js$/.test(npmCli) && node.code === 0
    ? [nodePath, npmCli]
    : [process.platform === "win32" ? "npm.cmd" : "npm"];
  const npmVersion = await executor.exec([...npm, "--version"], { cwd });
  const deno = process.execPath;
  let house: Promise<House> | undefined;
  return {
    ...executor,
    ...folders,
    house: () => house ??= readHouse({ exec: executor.exec, deno, root: cwd }),
    cache,
    deno,
    node: path.length > 0 && version !== undefined ? { path: path.join(" "), version } : null,
    npm: path.length > 0 && npmVersion.code === 0 ? npm : null,
  };
}

/** The words that run a program of `node_modules` under Deno, so that no Node is needed. */
export function packageBin(context: Context, path: string): readonly string[] {
  return [context.deno, "run", "-A", join(context.root, "node_modules", path)];
}

/** The words that run the type checker. */
export function tsc(context: Context): readonly string[] {
  return packageBin(context, "typescript/bin/tsc");
}

/** A plain step that is one command: exit code 0 or its output. */
export function fromRun(ran: Ran): Outcome {
  if (ran.code === 0) return passed();
  const end = ran.timedOut
    ? `killed after ${Math.round(ran.ms / 1000)} s`
    : `exit code ${ran.code}`;
  return failed(`${ran.output.trimEnd()}\n(${end})`);
}
