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
  /** The machine on which programs are started. */
  readonly host: Pick<Host, "platform" | "env">;
  /** Reads facts of the file that a shim names. */
  readonly syncStat: SyncStat;
}

/** Options of running a program. */
export interface RunOptions {
  /** Working folder, absolute. */
  readonly cwd: string;
  /** The complete environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Milliseconds after which the program and everything it started are killed; never when absent.
   */
  readonly timeoutMs?: number;
  /** Kills the program and everything that it started. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each line of output as it arrives, without colours and line ends. */
  readonly onLine?: (line: string, stream: OutputStream) => void;
  /** Written to standard input, which stays open while this process exists ({@linkcode Processes}). */
  readonly heldInput?: string | undefined;
  /** Receives standard output as bytes, which are then neither kept nor decoded. */
  readonly onBytes?: (chunk: Uint8Array) => void;
  /** Bytes kept from the beginning of each output stream; default 64 KiB. */
  readonly maxOutputBytes?: number;
}

/** The kept part of a program's output. */
export interface ProgramOutput {
  /** The beginning of standard output, decoded as UTF-8. */
  readonly stdout: string;
  /** The beginning of standard error. */
  readonly stderr: string;
  /** The last lines of both streams in the order of arrival: at most 20, and 1,500 characters. */
  readonly tail: string;
}

/** The end of a program. */
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
 * Returns how to start a program on a machine: for a shim of npm, pnpm or RubyGems, the program
 * behind it. Runs nothing.
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
 * Runs a program to its end: without a shell, without input except the held one, with bounded
 * output. Never rejects.
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

/** {@linkcode runProgram} for a result of {@linkcode startable}. */
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

/** Describes an unexpected end of a program, as the end of a sentence about it. */
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
