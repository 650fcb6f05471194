import { spawn } from "node:child_process";
import { resolve } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { Turns } from "../../lib/core/turns.ts";
import { denoFolder } from "../../scripts/gate/deno-folder.ts";
import { UNOPTIMIZED } from "../../scripts/gate/unoptimized.ts";

/** A script's output and end. */
export interface ScriptRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command that runs a script on the runtime that runs this test. */
export function scriptCommand(name: string, args: readonly string[]): [string, string[]] {
  return "Deno" in globalThis
    ? [process.execPath, ["run", "-A", resolve(`scripts/${name}.ts`), ...args]]
    : [process.execPath, [UNOPTIMIZED, resolve(`dist/scripts/${name}.js`), ...args]];
}

/** Scripts that run one after another in one process. */
export interface ScriptHost {
  /** Runs a script from its command line to its exit code, as a process of its own would. */
  run(name: string, ...args: readonly string[]): Promise<ScriptRun>;
  close(): Promise<void>;
}

/**
 * Starts a process that runs many command lines, for tests of their words rather than their
 * processes.
 *
 * @param env Added to the environment of all of them.
 */
export function openScriptHost(env: Readonly<Record<string, string>> = {}): ScriptHost {
  const [command, words] = "Deno" in globalThis
    ? [process.execPath, ["run", "-A", resolve("tests/support/script-calls.ts")]]
    : [process.execPath, [UNOPTIMIZED, resolve("dist/tests/support/script-calls.js")]];
  const child = spawn(command, words, {
    env: { ...process.env, npm_lifecycle_event: undefined, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const turns = new Turns();
  return {
    run: (name, ...args) =>
      turns.take(async () => {
        child.stdin.write(`${JSON.stringify({ name, args })}\n`);
        const { value, done } = await lines.next();
        if (done) throw new Error(`${name} ended the process that ran it`);
        return JSON.parse(value);
      }),
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

/**
 * Starts such a process for a story: each script has a process of its own when it is first met, and
 * is the next command of the one after that.
 */
export function openStory(env: Readonly<Record<string, string>>): ScriptHost {
  const host = openScriptHost(env);
  const met = new Set<string>();
  return {
    run(name, ...args) {
      if (met.has(name)) return host.run(name, ...args);
      met.add(name);
      return runScriptFile(name, args, { env: { ...env } });
    },
    close: () => host.close(),
  };
}

/** Runs a script to its end. */
export function runScriptFile(
  name: string,
  args: readonly string[],
  options: {
    readonly env?: Record<string, string>;
    readonly cwd?: string;
    /** Receives a function that interrupts the script as Ctrl-C does. */
    readonly onStart?: (interrupt: () => void) => void;
  } = {},
): Promise<ScriptRun> {
  const [command, words] = scriptCommand(name, args);
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      // npm tells every program below it which script it runs, and our scripts would then print
      // npm's commands.
      env: {
        ...process.env,
        npm_lifecycle_event: undefined,
        DENO_DIR: denoFolder(), // also if the script gets another home
        ...options.env,
      },
      cwd: options.cwd ?? process.cwd(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    // Not child.kill(): Deno then reports the signal as the end, however the script reacted to it.
    options.onStart?.(() => child.pid !== undefined && process.kill(child.pid, "SIGINT"));
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => stdout += chunk);
    child.stderr.on("data", (chunk) => stderr += chunk);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
