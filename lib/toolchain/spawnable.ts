import { fail, type Failure, ok, type Result } from "../core/result.ts";
import type { RunRequest } from "../ports/processes.ts";
import { isAbsolutePath, joinPath, lastSegment, parentPath } from "./host-paths.ts";
import type { Platform, SyncStat } from "./ports.ts";

/** How a command must be started: as it is, or as one line for the Windows command interpreter. */
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
  /** `%SystemRoot%`, where `cmd.exe` lies; `C:\Windows` when absent. */
  readonly systemRoot?: string | undefined;
  /** Lets npm's own shims be seen through: node and the script are run, no interpreter. */
  readonly stat?: SyncStat;
}

/** The longest line that cmd.exe takes, in characters. */
const MAX_COMMAND_LINE = 8191;

/** What means something to cmd.exe outside quotes, and what ends a word. */
const META = /[()[\]%!^"`<>&|;,= \t*?]/g;

/**
 * How to start a resolved command (spec §4.8, rule 3). Every spawn of a tool goes through this.
 *
 * A `.cmd` or `.bat` file goes to cmd.exe by its absolute path, every argument quoted for the
 * program behind the shim and then escaped twice with carets: once for the line itself, once for the
 * `%*` by which a shim passes its arguments on. An argument that a batch file uses in another way
 * than `%*` keeps carets.
 */
export function spawnable(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): Result<Spawn, Failure<SpawnFailureCode>> {
  const { platform } = options;
  if (!isAbsolutePath(command, platform)) {
    return fail(
      "command-not-absolute",
      `Cannot start ${JSON.stringify(command)}: expected an absolute path`,
      "Look the program up first",
    );
  }
  if (!isBatchFile(command, platform)) return direct(command, args);
  const script = shimmedScript(command, options);
  if (script !== null) return direct(script.node, [script.entry, ...args]);
  const bad = [command, ...args].find((text) => /[\0\r\n]/.test(text));
  if (bad !== undefined) return forbidden(command, bad, "NUL or a line break");

  const program = escapeOnce(command.replaceAll("/", "\\"));
  const line = [program, ...args.map((arg) => escapeOnce(escapeOnce(quoteArgument(arg))))]
    .join(" ");
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

/** The members of a {@linkcode RunRequest} that say what to start. */
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
    "Remove it; it cannot be passed on safely",
  );
}

function commandInterpreter(systemRoot: string | undefined): string {
  const root = systemRoot !== undefined && isAbsolutePath(systemRoot, "win32")
    ? systemRoot
    : "C:\\Windows";
  return joinPath(root, "System32/cmd.exe", "win32");
}

/** What `npm.cmd` and `npx.cmd` of a Node folder would run. */
function shimmedScript(
  command: string,
  { stat }: SpawnOptions,
): { readonly node: string; readonly entry: string } | null {
  const name = /^(npm|npx)\.cmd$/i.exec(lastSegment(command, "win32"))?.[1]?.toLowerCase();
  if (stat === undefined || name === undefined) return null;
  const folder = parentPath(command, "win32");
  const node = joinPath(folder, "node.exe", "win32");
  const entry = joinPath(folder, `node_modules/npm/bin/${name}-cli.js`, "win32");
  return stat(node).kind === "file" && stat(entry).kind === "file" ? { node, entry } : null;
}

/** Quotes one argument the way a Windows program's own runtime splits its command line. */
function quoteArgument(text: string): string {
  let quoted = '"';
  let backslashes = 0;
  for (const character of text) {
    if (character === "\\") {
      backslashes++;
      continue;
    }
    // Backslashes count double before a quote, and only there.
    quoted += "\\".repeat(character === '"' ? backslashes * 2 + 1 : backslashes) + character;
    backslashes = 0;
  }
  return `${quoted}${"\\".repeat(backslashes * 2)}"`;
}

function escapeOnce(text: string): string {
  return text.replace(META, "^$&");
}
