import { concatBytes } from "../../core/bytes.ts";
import { plainText } from "../../core/plain-text.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { Ring } from "../../core/ring.ts";
import type { Host } from "../../ports/host.ts";
import {
  howEnded,
  type ProgramEnd,
  type ProgramMachine,
  type RunOptions,
  runProgram,
  scrubbedEnvironment,
} from "../../programs/mod.ts";

/** Timeout of a command to a phone, in milliseconds: the first one also starts adb's server. */
const ADB_MS = 20_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** The machine that adb runs on. */
export interface AdbMachine extends ProgramMachine {
  readonly host: Host;
  /** Returns the path of adb; `null` if it is missing. */
  readonly findAdb: () => Promise<string | null>;
}

/** The Android debug bridge of this machine: each order a program, its arguments as they are. */
export class Adb {
  readonly #machine: AdbMachine;

  constructor(machine: AdbMachine) {
    this.#machine = machine;
  }

  /** Runs adb. @returns Its output, `null` if adb is missing, or the failure. */
  async run(args: readonly string[], signal: AbortSignal): Promise<Result<string | null, Problem>> {
    const path = await this.#machine.findAdb();
    if (path === null) return ok(null);
    const end = await this.#run(path, args, { signal });
    return end.kind === "exited" && end.code === 0 ? ok(end.stdout) : failed(args, end);
  }

  /** An order to one phone. @returns 503 `no-adb`, 422 `adb-failed`. */
  async order(
    serial: string,
    args: readonly string[],
    signal: AbortSignal,
  ): Promise<Result<string, Problem>> {
    const printed = await this.run(["-s", serial, ...args], signal);
    if (!printed.ok) return printed;
    return printed.value === null ? noAdb() : ok(printed.value);
  }

  /** The bytes that a line of a phone's shell prints. @returns As {@linkcode order}. */
  async bytes(
    serial: string,
    line: string,
    { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Result<Uint8Array<ArrayBuffer>, Problem>> {
    const path = await this.#machine.findAdb();
    if (path === null) return noAdb();
    const chunks: Uint8Array[] = [];
    const tooMuch = new AbortController();
    let size = 0;
    const onBytes = (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else tooMuch.abort();
    };
    const all = ["-s", serial, "exec-out", line];
    const ending = AbortSignal.any([signal, tooMuch.signal]);
    const end = await this.#run(path, all, { signal: ending, onBytes });
    if (size > maxBytes) {
      const detail = `adb exec-out ${line} gave more, expected at most ${maxBytes} bytes`;
      return refuse(422, "adb-failed", detail, "Call it again");
    }
    return end.kind === "exited" && end.code === 0 ? ok(concatBytes(chunks)) : failed(all, end);
  }

  /**
   * Returns the parsed last lines that a program of a phone prints. @returns As {@linkcode order}.
   */
  async lines<T extends object>(
    serial: string,
    args: readonly string[],
    { most, read, signal }: {
      readonly most: number;
      /** Parses a line; `null` skips it. */
      readonly read: (line: string) => T | null;
      readonly signal: AbortSignal;
    },
  ): Promise<Result<readonly T[], Problem>> {
    const path = await this.#machine.findAdb();
    if (path === null) return noAdb();
    const last = new Ring<T>(most);
    const all = ["-s", serial, ...args];
    const end = await this.#run(path, all, {
      signal,
      onLine(line, stream) {
        const entry = stream === "stdout" ? read(line) : null;
        if (entry !== null) last.push(entry);
      },
    });
    return end.kind === "exited" && end.code === 0 ? ok(last.all()) : failed(all, end);
  }

  #run(
    path: string,
    args: readonly string[],
    options: Pick<RunOptions, "signal" | "onBytes" | "onLine">,
  ): Promise<ProgramEnd> {
    const { host } = this.#machine;
    return runProgram(path, args, {
      ...options,
      machine: this.#machine,
      cwd: host.temporary,
      env: scrubbedEnvironment(host.environment()),
      timeoutMs: ADB_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    });
  }
}

function noAdb(): Result<never, Problem> {
  return refuse(
    503,
    "no-adb",
    "There is no adb on this machine any more",
    "Install the Android SDK: install_tool id=android-sdk",
  );
}

/** Describes a failure in adb's words, with the next step if the failure is known. */
function failed(args: readonly string[], end: ProgramEnd): Result<never, Problem> {
  const words = "stderr" in end ? `${end.stderr}\n${end.stdout}`.split("\n") : [];
  // Lines of adb's log precede its message.
  const said = words.find((line) => /^(?:adb|error): /.test(line)) ??
    words.find((line) => line.trim() !== "") ?? "";
  const detail = `adb ${args.join(" ").slice(0, 200)} ${howEnded(end)}` +
    (said === "" ? "" : `: ${plainText(said, 300)}`);
  return refuse(422, "adb-failed", detail, nextFor(said));
}

/** Returns the next step for the user. */
export function nextFor(said: string): string {
  if (/unauthorized/.test(said)) {
    return "Unlock the phone and allow USB debugging for this computer";
  }
  if (/offline/.test(said)) return "Unplug the phone and plug it in again, or: adb reconnect";
  if (/no permissions/.test(said)) {
    return "Let this user reach the phone over USB: install Android's udev rules, plug it in again";
  }
  if (/not found|no devices/.test(said)) return "device_list names the connected devices";
  return "device_list reports the device's state; call it again";
}
