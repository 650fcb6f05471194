import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { userCacheFolder } from "../../scripts/shared/user-cache.ts";
import { findNode, type Skip } from "../support/needs.ts";
import { posix } from "./real-machine.ts";

// Installations in processes of their own, on either runtime.

const NODE_CHILD = "dist/tests/toolchain/install-child.js";
const DENO_CHILD = "tests/toolchain/install-child.ts";
const onDeno = "Deno" in globalThis;

/** An installation that runs. */
export interface Child {
  readonly process: ChildProcess;
  readonly lines: string[];
  /** Resolves when a line begins so. */
  said(start: string): Promise<string>;
  readonly ended: Promise<void>;
}

/** Starts one. @param order See install-child.ts. @param env More than it finds in any case. */
export function startChild(
  command: readonly [string, readonly string[]],
  order: object,
  env: Readonly<Record<string, string>> = {},
): Child {
  const [program, args] = command;
  const child = spawn(program, [...args, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
  });
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  let rest = "";
  let over = false;
  const wake = () => waiting.splice(0).forEach((each) => each());
  child.stdout.on("data", (chunk) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    wake();
  });
  child.stderr.on("data", (chunk) => lines.push(`stderr ${chunk}`));
  const ended = new Promise<void>((resolve) =>
    child.on("close", () => {
      over = true;
      resolve();
      wake();
    })
  );
  return {
    process: child,
    lines,
    ended,
    async said(start) {
      for (;;) {
        const line = lines.find((each) => each.startsWith(start));
        if (line !== undefined) return line;
        if (over) throw new Error(`it ended before it said ${start}: ${lines.join(" | ")}`);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}

/** The installer on this runtime. */
export const OWN: readonly [string, readonly string[]] = onDeno
  ? [process.execPath, ["run", "-A", "--no-check", DENO_CHILD]]
  : [process.execPath, [NODE_CHILD]];

/** Kills an installation on this runtime when it says a line that begins so (`phase built`). */
export async function killAt(
  line: string,
  order: object,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const stopAt = /^phase (.*)$/.exec(line)?.[1];
  const child = startChild(OWN, { ...order, ...(stopAt !== undefined && { stopAt }) }, env);
  await child.said(line);
  child.process.kill("SIGKILL");
  await child.ended;
}

const node = findNode();
const deno = denoPath();
/** Options of a test that needs both runtimes. */
export const both: { readonly skip: Skip } = {
  skip: posix.skip || node.skip ||
    !existsSync(NODE_CHILD) && `found no ${NODE_CHILD}: expected what 'npm test -- build' writes` ||
    deno === null && "found no Deno of the gate: expected what 'npm run check' installs",
};

/** Where the gate's own Deno is, as scripts/run.mjs remembers it. */
function denoPath(): string | null {
  if (onDeno) return process.execPath;
  const known = join(userCacheFolder(), "deno@2.9.6.path");
  const path = existsSync(known) ? readFileSync(known, "utf8").trim() : "";
  return existsSync(path) ? path : null;
}

/** The installer on Node, and on Deno. */
export function commands(): readonly (readonly [string, readonly string[]])[] {
  return [
    [onDeno ? node.path : process.execPath, [NODE_CHILD]],
    [deno ?? "", ["run", "-A", "--no-check", DENO_CHILD]],
  ];
}
