import { fail, type Failure, ok, type Result } from "../core/result.ts";
import type { SyncStat } from "../ports/files.ts";
import type { Platform } from "../ports/host.ts";
import type { RunRequest } from "../ports/processes.ts";
import { hostPaths } from "./host-paths.ts";
import { behindNpm, type BehindShim } from "./shim.ts";

/** How a command must be started: directly, or as one line for the Windows command interpreter. */
export type Spawn =
  | { readonly kind: "direct"; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: "cmd"; readonly command: string; readonly args: readonly string[] };

/** Why a command cannot be started safely. */
export type SpawnFailureCode =
  | "command-not-absolute"
  | "forbidden-character"
  | "command-line-too-long";

/** On which machine the command is to run. */
export interface SpawnOptions {
  /** The operating system. */
  readonly platform: Platform;
  /** `%SystemRoot%`, the folder of `cmd.exe`; `C:\Windows` when absent. */
  readonly systemRoot?: string | undefined;
  /** Allows npm's own shims to be bypassed: node runs the script, without an interpreter. */
  readonly stat?: SyncStat;
  /** The program behind the command, as {@linkcode behindShim} found it. */
  readonly behind?: BehindShim | null;
}

const WINDOWS = hostPaths("win32");

/** The longest line that cmd.exe takes, in characters. */
const MAX_COMMAND_LINE = 8191;

/**
 * Characters that cannot be passed through a batch file: cmd.exe expands `%` inside quotes, `"` ends them when a
 * batch file passes its arguments on through a variable, the rest ends the line.
 */
const UNSAFE = /[\0\r\n"%]/;

/**
 * Returns how to start a resolved command (FIND-7). Every spawn of a tool uses this.
 *
 * A known `.cmd` or `.bat` shim is bypassed: the program behind it is started, with every argument
 * unchanged. Any other batch file goes to cmd.exe by its absolute path, the command and every
 * argument in quotes, which protect everything but `"`, `%` and line breaks, however often the
 * batch file passes them on; an argument with one of these is refused.
 *
 * @returns `command-not-absolute`, `forbidden-character` or `command-line-too-long`.
 */
export function spawnable(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): Result<Spawn, Failure<SpawnFailureCode>> {
  const { platform } = options;
  if (!hostPaths(platform).isAbsolute(command)) {
    return fail(
      "command-not-absolute",
      `Cannot start ${JSON.stringify(command)}: expected an absolute path`,
      "Look the program up first",
    );
  }
  if (!isBatchFile(command, platform)) return direct(command, args);
  const behind = options.behind ?? (options.stat && behindNpm(command, options.stat));
  if (behind) return direct(behind.command, [...behind.args, ...args]);
  const bad = [command, ...args].find((text) => UNSAFE.test(text));
  if (bad !== undefined) {
    return forbidden(command, bad, "a quote, a percent sign, NUL or a line break");
  }

  const line = [command.replaceAll("/", "\\"), ...args].map(quoteArgument).join(" ");
  if (line.length + 100 > MAX_COMMAND_LINE) {
    return fail(
      "command-line-too-long",
      `Cannot start ${JSON.stringify(command)}: its command line has ${line.length} characters, ` +
        `and cmd.exe takes ${MAX_COMMAND_LINE}`,
      "Pass less on the command line",
    );
  }
  return ok({
    kind: "cmd",
    command: commandInterpreter(options.systemRoot),
    args: ["/d", "/s", "/v:off", "/c", `"${line}"`],
  });
}

/** Returns the members of a {@linkcode RunRequest} that name the program. */
export function runnable(
  spawn: Spawn,
): Pick<RunRequest, "command" | "args" | "verbatimArguments"> {
  const { command, args } = spawn;
  return spawn.kind === "cmd" ? { command, args, verbatimArguments: true } : { command, args };
}

/** Whether Windows hands the file to cmd.exe: it drops trailing dots and spaces before it looks. */
export function isBatchFile(command: string, platform: Platform): boolean {
  return platform === "win32" && /\.(?:cmd|bat)$/i.test(command.slice(0, trimmedLength(command)));
}

function trimmedLength(text: string): number {
  let end = text.length;
  while (end > 0 && (text[end - 1] === "." || text[end - 1] === " ")) end--;
  return end;
}

function direct(
  command: string,
  args: readonly string[],
): Result<Spawn, Failure<SpawnFailureCode>> {
  const bad = [command, ...args].find((text) => text.includes("\0"));
  return bad === undefined ? ok({ kind: "direct", command, args }) : forbidden(command, bad, "NUL");
}

function forbidden(
  command: string,
  text: string,
  what: string,
): Result<never, Failure<SpawnFailureCode>> {
  return fail(
    "forbidden-character",
    `Cannot start ${JSON.stringify(command)}: ${JSON.stringify(text.slice(0, 80))} holds ${what}`,
    "Remove it: it cannot be passed on safely",
  );
}

function commandInterpreter(systemRoot: string | undefined): string {
  const root = systemRoot !== undefined && WINDOWS.isAbsolute(systemRoot)
    ? systemRoot
    : "C:\\Windows";
  return WINDOWS.join(root, "System32/cmd.exe");
}

/** Quotes a text without quotes: a program splits its line so that backslashes before one count double. */
function quoteArgument(text: string): string {
  const backslashes = /\\*$/.exec(text)?.[0] ?? "";
  return `"${text}${backslashes}"`;
}
