import process from "node:process";
import { HostError } from "../../lib/core/host-error.ts";
import { nearestNames } from "../../lib/core/nearest.ts";
import type { Problem } from "../../lib/core/problem.ts";
import { fail, type Failure, messageOf, ok, type Result } from "../../lib/core/result.ts";
import { columnsOf, folded } from "./columns.ts";

/** One flag of a script. */
export interface Flag {
  /** Whether the flag takes a value (`--port 0`, `--port=0`) or stands alone. */
  readonly kind: "value" | "switch";
  /** One line for `--help`. */
  readonly doc: string;
}

/** What a script takes. `--help` and `--json` are switches of every script. */
export interface CommandSpec {
  /** The first line of `--help`. */
  readonly usage: string;
  /** When given, the first word that is no flag must be one of these. */
  readonly commands?: readonly string[];
  readonly flags: Readonly<Record<string, Flag>>;
  /** What stands below the flags in `--help`. */
  readonly after?: () => string;
  /** Whether words that are neither flags nor the command mean something. */
  readonly takesWords?: true;
}

/** A command line, understood. */
export interface CommandLine {
  readonly command?: string;
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly switches: Readonly<Record<string, true>>;
}

const COMMON: Readonly<Record<string, Flag>> = {
  json: {
    kind: "switch",
    doc: "print one JSON object on stdout; progress as JSON lines on stderr",
  },
  help: { kind: "switch", doc: "print this" },
};

/** Reads a command line. Flags may stand before or after the command; `--` ends them. */
export function parseCommandLine(
  argv: readonly string[],
  spec: CommandSpec,
): Result<CommandLine, Failure<"usage">> {
  const flags: Readonly<Record<string, Flag>> = { ...spec.flags, ...COMMON };
  const words: string[] = [];
  const values: Record<string, string> = {};
  const switches: Record<string, true> = {};
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? "";
    if (word === "--") {
      words.push(...argv.slice(i + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      words.push(word);
      continue;
    }
    const equals = word.indexOf("=");
    const spelled = equals < 0 ? word : word.slice(0, equals);
    const name = spelled.slice(2);
    const flag = spelled.startsWith("--") && Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) {
      return unknownWord(
        "flag",
        spelled,
        Object.keys(flags).map((f) => `--${f}`),
      );
    }
    if (name in values || name in switches) {
      return fail(
        "usage",
        `Flag ${spelled} is given twice: expected it once`,
        "Remove one of them",
      );
    }
    if (flag.kind === "switch") {
      if (equals >= 0) {
        return fail("usage", `Flag ${spelled} takes no value`, `Write ${spelled} alone`);
      }
      switches[name] = true;
      continue;
    }
    const value = equals < 0 ? argv[++i] : word.slice(equals + 1);
    if (value === undefined) {
      return fail("usage", `Flag ${spelled} has no value: expected one after it`, flag.doc);
    }
    if (equals < 0 && value.startsWith("--") && Object.hasOwn(flags, value.slice(2))) {
      return fail(
        "usage",
        `Flag ${spelled} has no value: found the flag ${value} after it`,
        `Write ${spelled}=${value} if that is the value`,
      );
    }
    values[name] = value;
  }
  if (switches["help"] === true) return ok({ positionals: words, values, switches });
  const surplus = words[spec.commands === undefined ? 0 : 1];
  if (surplus !== undefined && spec.takesWords !== true) {
    return fail(
      "usage",
      `Unexpected word ${JSON.stringify(surplus.slice(0, 80))}: expected flags only`,
      spec.usage,
    );
  }
  if (spec.commands === undefined) return ok({ positionals: words, values, switches });
  const [command, ...positionals] = words;
  if (command === undefined) {
    return fail(
      "usage",
      `No command is given: expected one of ${spec.commands.join(", ")}`,
      spec.usage,
    );
  }
  if (!spec.commands.includes(command)) return unknownWord("command", command, spec.commands);
  return ok({ command, positionals, values, switches });
}

/** The refusal of a word that is none of those known, with the nearest of them. */
export function unknownWord(
  what: string,
  word: string,
  known: readonly string[],
): Result<never, Failure<"usage">> {
  const near = nearestNames(word, known);
  return fail(
    "usage",
    `Unknown ${what} ${JSON.stringify(word.slice(0, 80))}: expected one of ${known.join(", ")}`,
    near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "See --help",
  );
}

/** `--help`: the text for people, or the same as one JSON object. */
function helpText({ usage, commands, flags, after }: CommandSpec): string {
  const all = { ...flags, ...COMMON };
  if (asksForJson()) return JSON.stringify({ ok: true, usage, commands, flags: all });
  const rows = Object.entries(all);
  const width = Math.max(...rows.map(([name]) => name.length));
  const text = [
    `Usage: ${usage}`,
    "",
    ...rows.map(([name, flag]) => `  --${name.padEnd(width)}  ${flag.doc}`),
    ...(after === undefined ? [] : ["", after()]),
  ].join("\n");
  return folded(text, columnsOf(process.stdout));
}

/** Whether the process was started with `--json`: also where the rest of its command line is wrong. */
function asksForJson(): boolean {
  const [, , ...argv] = process.argv;
  const end = argv.indexOf("--");
  return argv.slice(0, end < 0 ? argv.length : end).includes("--json");
}

/**
 * Tells how a script failed. For people on stderr: what, then the next step. With `--json` on the
 * command line as the one JSON object on stdout (CLI-1), and nothing on stderr.
 */
export function printFailure(failure: Failure): void {
  const { code, message, next } = failure;
  if (asksForJson()) return console.log(JSON.stringify({ ok: false, ...failure }));
  console.error(`${code === "cancelled" ? "cancelled" : "error"}: ${message}`);
  if (next !== undefined) console.error(`  next: ${next}`);
}

/** A problem of the service, as a script tells it. */
export function failureOf({ code, detail, hint }: Problem): Failure {
  return { code, message: detail, next: hint };
}

/** What a shell sees of a process that a signal ended (POSIX: 128 and its number). */
export const SIGNAL_EXIT = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** A signal that a process ends at, in order. */
export type EndSignal = keyof typeof SIGNAL_EXIT;

/**
 * Calls at each signal that ends this process. A terminal that closes sends SIGHUP; without one the
 * signal stays what it is there, as `nohup` wants it. Windows has none that leaves time.
 */
export function onEndSignals(call: (signal: EndSignal) => void): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => call(signal));
  if (process.platform === "win32" || process.stderr.isTTY !== true) return;
  let isClosed = false;
  process.on("SIGHUP", () => {
    if (isClosed) return; // a shell sends it on, the system too
    isClosed = true;
    // What is written to a terminal that is gone fails.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
    call("SIGHUP");
  });
}

/** The system ends the process: nothing in it can hold that up. */
export function endBy(signal: EndSignal): void {
  process.emit("exit", 1); // what is removed with the process
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/**
 * A script from its command line to its exit code: `--help`, usage errors (2), failures (1), what a
 * signal ended (129, 130, 143; see {@linkcode interrupted}), and whatever is thrown, which is a bug and
 * says so (1).
 */
export async function runScript(main: (argv: readonly string[]) => Promise<number>): Promise<void> {
  try {
    const code = await main(process.argv.slice(2));
    // A signal that came too late to end the work ended nothing.
    if (code === 0 || process.exitCode === undefined) process.exitCode = code;
  } catch (thrown) {
    process.exitCode = 1;
    if (thrown instanceof HostError) {
      return printFailure({ code: "environment", message: thrown.message, next: thrown.next });
    }
    printFailure({
      code: "fault",
      message: messageOf(thrown),
      next: "Set SVC_DEBUG=1 to see where; please report it if it looks like a bug",
    });
    if (process.env["SVC_DEBUG"] !== undefined && thrown instanceof Error) {
      console.error(thrown.stack);
    }
  }
}

/**
 * The usual beginning of a script: parses, answers `--help` and usage errors.
 *
 * @returns The command line, or the exit code that the script already has.
 */
export function commandLine(argv: readonly string[], spec: CommandSpec): CommandLine | number {
  const parsed = parseCommandLine(argv, spec);
  if (!parsed.ok) {
    printFailure(parsed.error);
    return 2;
  }
  if (parsed.value.switches["help"]) {
    console.log(helpText(spec));
    return 0;
  }
  return parsed.value;
}

/**
 * A signal that is aborted by Ctrl-C, SIGTERM or the end of the terminal, so that work can end in
 * order; the process then ends with 130, 143 or 129. The second one ends it at once.
 */
export function interrupted(): AbortSignal {
  const abort = new AbortController();
  onEndSignals((signal) => {
    // The system ends it at the next one: both npm and the terminal send the first at the same time.
    if (signal !== "SIGHUP") process.removeAllListeners(signal);
    process.exitCode = SIGNAL_EXIT[signal];
    abort.abort(new Error(`interrupted by ${signal}`));
  });
  return abort.signal;
}
