import process from "node:process";
import { FileError } from "../../lib/core/file-error.ts";
import { HostError } from "../../lib/core/host-error.ts";
import type { Problem } from "../../lib/core/problem.ts";
import { type Failure, messageOf } from "../../lib/core/result.ts";
import { columnsOf, folded } from "./columns.ts";
import {
  type CommandLine,
  type CommandSpec,
  COMMON_FLAGS,
  parseCommandLine,
} from "./command-line.ts";
import { terminalText } from "./terminal-text.ts";

/**
 * The usual beginning of a script: parses, answers `--help` and usage errors.
 *
 * @returns The command line, or the exit code that the script already has.
 */
export function commandLine(argv: readonly string[], spec: CommandSpec): CommandLine | number {
  const parsed = parseCommandLine(argv, spec);
  if (!parsed.ok) return printFailure(parsed.error);
  if (parsed.value.switches["help"]) {
    console.log(helpText(spec));
    return 0;
  }
  return parsed.value;
}

/** `--help`: the text for people, or the same as one JSON object. */
function helpText({ usage, commands, flags, after }: CommandSpec): string {
  const rows = Object.entries({ ...flags, ...COMMON_FLAGS });
  if (asksForJson()) {
    const shown = Object.fromEntries(rows.map(([name, { kind, doc }]) => [name, { kind, doc }]));
    return JSON.stringify({ ok: true, usage, commands, flags: shown });
  }
  const width = Math.max(...rows.map(([name]) => name.length));
  const text = [
    `Usage: ${usage}`,
    "",
    ...rows.map(([name, flag]) => `  --${name.padEnd(width)}  ${flag.doc}`),
    ...(after === undefined ? [] : ["", after()]),
  ].join("\n");
  return folded(text, columnsOf(process.stdout));
}

/** Whether the process was started with `--json`, even if the rest of its command line is wrong. */
export function asksForJson(): boolean {
  const [, , ...argv] = process.argv;
  const end = argv.indexOf("--");
  return argv.slice(0, end < 0 ? argv.length : end).includes("--json");
}

/** Codes of wrong command lines, besides those of the flags themselves. */
const USAGE_CODES: readonly string[] = ["usage", "bad-bucket", "bad-key-name"];

/**
 * Reports a script's failure. For people on stderr: the failure, then the next step. With `--json`
 * as the single JSON object on stdout (CLI-1), and nothing on stderr.
 *
 * @returns The exit code: 2 for a wrong command line, otherwise 1.
 */
export function printFailure(failure: Failure): 1 | 2 {
  const { code, message, next } = failure;
  if (asksForJson()) console.log(JSON.stringify({ ok: false, ...failure }));
  else {
    const what = `${code === "cancelled" ? "cancelled" : "error"}: ${message}`;
    console.error(terminalText(what));
    if (next !== undefined) console.error(terminalText(`  next: ${next}`));
  }
  return USAGE_CODES.includes(code) ? 2 : 1;
}

/** Converts a problem of the service to a script's failure. */
export function failureOf({ code, detail, hint }: Problem): Failure {
  return { code, message: detail, next: hint };
}

/**
 * Runs a script from its command line to its exit code: `--help`, usage errors (2), failures (1),
 * interruptions by a signal (129, 130, 143; see {@linkcode interrupted}), and any thrown value,
 * which is reported as a bug (1).
 */
export async function runScript(main: (argv: readonly string[]) => Promise<number>): Promise<void> {
  try {
    const code = await main(process.argv.slice(2));
    // A signal that arrived after the end of the work changes nothing.
    if (code === 0 || process.exitCode === undefined) process.exitCode = code;
  } catch (thrown) {
    process.exitCode = printFailure(thrownFailure(thrown));
    if (process.env["SVC_DEBUG"] !== undefined && thrown instanceof Error) {
      console.error(thrown.stack);
    }
  }
}

function thrownFailure(thrown: unknown): Failure {
  const message = messageOf(thrown);
  if (thrown instanceof HostError) return { code: "environment", message, next: thrown.next };
  if (thrown instanceof FileError) {
    const next = "See that it can be read and written, and that the disk has room";
    return { code: "file", message, next };
  }
  const next = "Set SVC_DEBUG=1 to see where; please report it if it looks like a bug";
  return { code: "fault", message, next };
}
