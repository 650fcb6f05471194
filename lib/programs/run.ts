import type { Failure, Result } from "../core/result.ts";
import type { Files, SyncStat } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import type { Processes, RunResult } from "../ports/processes.ts";
import { createOutputLines, type OutputStream } from "./output-lines.ts";
import { behindShim } from "./shim.ts";
import {
  isBatchFile,
  runnable,
  type Spawn,
  spawnable,
  type SpawnFailureCode,
} from "./spawnable.ts";

/** The machine that programs run on. */
export interface ProgramMachine {
  /** Reads the shims of Windows. */
  readonly files: Pick<Files, "read">;
  /** Runs programs. */
  readonly processes: Processes;
  /** How programs are started there. */
  readonly host: Pick<Host, "platform" | "env">;
  /** Looks at what a shim names. */
  readonly syncStat: SyncStat;
}

/** How a program is run. */
export interface RunOptions {
  /** Working folder, absolute. */
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** It and all that it started are killed after so many milliseconds; never when absent. */
  readonly timeoutMs?: number;
  /** Ends it and all that it started. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each line of output as it comes, without colours and line ends. */
  readonly onLine?: (line: string, stream: OutputStream) => void;
  /** Written to standard input, which stays open while this process exists ({@linkcode Processes}). */
  readonly heldInput?: string | undefined;
  /** Takes standard output as bytes: nothing of it is kept or decoded then. */
  readonly onBytes?: (chunk: Uint8Array) => void;
  /** Bytes kept from the beginning of each output stream; default 64 KiB. */
  readonly maxOutputBytes?: number;
}

/** The part of a program's output that is kept. */
export interface ProgramOutput {
  /** The beginning of standard output, decoded as UTF-8. */
  readonly stdout: string;
  /** The beginning of standard error. */
  readonly stderr: string;
  /** The last lines of both in the order in which they came: at most 20, and 1,500 characters. */
  readonly tail: string;
}

/** How a program ended. */
export type ProgramEnd =
  | ({ readonly kind: "exited"; readonly code: number } & ProgramOutput)
  | ({ readonly kind: "signalled"; readonly signal: string } & ProgramOutput)
  | ({ readonly kind: "timed-out"; readonly timeoutMs: number } & ProgramOutput)
  | ({ readonly kind: "cancelled" } & ProgramOutput)
  /** It was refused before anything ran: {@linkcode spawnable}. */
  | { readonly kind: "refused"; readonly reason: string; readonly next?: string }
  /** The system did not start it. */
  | { readonly kind: "not-started"; readonly reason: string };

const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * How a program is started on a machine: what stands behind a shim of npm, pnpm or RubyGems in place
 * of the shim. Nothing is run.
 *
 * @param command Absolute path of the program.
 * @param env The environment that it will run in.
 */
export async function startable(
  command: string,
  args: readonly string[],
  { files, host, syncStat, env }: Omit<ProgramMachine, "processes"> & Pick<RunOptions, "env">,
): Promise<Result<Spawn, Failure<SpawnFailureCode>>> {
  const { platform } = host;
  return spawnable(command, args, {
    platform,
    systemRoot: host.env("SystemRoot"),
    stat: syncStat,
    behind: isBatchFile(command, platform)
      ? await behindShim(command, { files, stat: syncStat, env })
      : null,
  });
}

/**
 * Runs a program to its end: no shell, no input but what is held, bounded output. Never rejects.
 *
 * @param command Absolute path of the program.
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  { machine, ...options }: RunOptions & { readonly machine: ProgramMachine },
): Promise<ProgramEnd> {
  const spawn = await startable(command, args, { ...machine, env: options.env });
  if (spawn.ok) return await runStartable(spawn.value, { ...options, machine });
  const { message, next } = spawn.error;
  return { kind: "refused", reason: message, ...(next !== undefined && { next }) };
}

/** {@linkcode runProgram} of what {@linkcode startable} gave. */
export async function runStartable(
  spawn: Spawn,
  { machine, timeoutMs, onLine, maxOutputBytes = MAX_OUTPUT_BYTES, ...options }:
    & RunOptions
    & { readonly machine: Pick<ProgramMachine, "processes"> },
): Promise<ProgramEnd> {
  const { cwd, env, signal, onBytes, heldInput } = options;
  const lines = createOutputLines(onLine ?? (() => undefined));
  const result = await machine.processes.run({
    ...runnable(spawn),
    cwd,
    env,
    timeoutMs: timeoutMs ?? Number.MAX_SAFE_INTEGER,
    maxOutputBytes,
    onOutput: lines.push,
    ...(onBytes && { onBytes }),
    ...(heldInput !== undefined && { heldInput }),
    ...(signal && { signal }),
  });
  lines.end();
  return endOf(result, lines.tail(), timeoutMs ?? Infinity);
}

function endOf(result: RunResult, tail: string, timeoutMs: number): ProgramEnd {
  if (result.kind === "not-started") return { kind: "not-started", reason: result.reason };
  const { stdout, stderr } = result;
  const output: ProgramOutput = { stdout, stderr, tail };
  switch (result.kind) {
    case "exited":
      return { kind: "exited", code: result.code, ...output };
    case "signalled":
      return { kind: "signalled", signal: result.signalName, ...output };
    case "killed":
      return result.by === "timeout"
        ? { kind: "timed-out", timeoutMs, ...output }
        : { kind: "cancelled", ...output };
  }
}

/** How a program ended that should have exited 0, as the end of a sentence about it. */
export function howEnded(end: ProgramEnd): string {
  switch (end.kind) {
    case "exited":
      return `exited ${end.code}, expected 0`;
    case "signalled":
      return `was ended by ${end.signal}`;
    case "timed-out":
      return `did not end within ${end.timeoutMs / 1000} s and was stopped`;
    case "cancelled":
      return "was cancelled";
    case "refused":
      return `was not started: ${end.reason}`;
    case "not-started":
      return `did not start: ${end.reason}`;
  }
}
