import { fail, type Failure, ok, type Result } from "../../core/result.ts";
import {
  executableAt,
  howEnded,
  isBatchFile,
  isOnNoexec,
  mismatchOf,
  NOEXEC,
  type ProgramEnd,
  reasonLine,
  runProgram,
} from "../../programs/mod.ts";
import type { ProbeSpec } from "../tools/descriptor.ts";
import { isVersionText } from "../tools/versions.ts";
import type { ToolchainDeps } from "../work/ports.ts";

/** The reason why a program did not report its version. */
export type ProbeFailureCode =
  | "not-spawnable"
  | "not-started"
  | "timeout"
  | "crashed"
  | "bad-exit"
  | "no-version";

/** Answer of a program. */
export interface Reported {
  readonly version: string;
  /** The folder from which it runs, if it reports one. */
  readonly home?: string;
}

/** A program to ask for its version. */
export interface Probe {
  readonly path: string;
  readonly spec: ProbeSpec;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Working folder; a neutral one if absent. */
  readonly cwd?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks a program for its version, hardened: a deadline that kills its process tree, bounded output, no
 * input, a neutral working folder (a project only once a build of it was started), a scrubbed
 * environment.
 */
export async function probe(
  { path, spec, env, cwd, signal }: Probe,
  deps: Pick<ToolchainDeps, "files" | "processes" | "host" | "syncStat">,
): Promise<Result<Reported, Failure<ProbeFailureCode>>> {
  const end = await runProgram(path, spec.args, {
    cwd: cwd ?? deps.host.temporary,
    env: { ...env, ...spec.env },
    timeoutMs: spec.timeoutMs,
    signal,
    machine: deps,
  });
  const read = readProbe(end, spec);
  if (read.ok || read.error.code === "timeout" || end.kind === "refused") return read;
  const why = await whyNotHere(path, end, deps);
  return why === null ? read : fail("not-started", `it does not start: ${why}`);
}

/** Why a program that failed cannot run on this machine at all, or `null`. */
async function whyNotHere(
  path: string,
  end: ProgramEnd,
  deps: Pick<ToolchainDeps, "files" | "host" | "syncStat">,
): Promise<string | null> {
  if (end.kind === "not-started" && await isOnNoexec(path, deps)) return NOEXEC;
  const program = isBatchFile(path, deps.host.platform) ? null : await executableAt(path, deps);
  return program === null ? null : mismatchOf(program, deps.host, deps.syncStat)?.reason ?? null;
}

/** Reads the version out of what a program did. The message is a sentence part. */
export function readProbe(
  end: ProgramEnd,
  spec: ProbeSpec,
): Result<Reported, Failure<ProbeFailureCode>> {
  const asked = `'${spec.args.join(" ")}'`;
  switch (end.kind) {
    case "refused":
      return fail("not-spawnable", end.reason);
    case "not-started":
      return fail("not-started", `it does not start: ${end.reason}`);
    case "timed-out":
      return fail(
        "timeout",
        `it did not answer ${asked} within ${end.timeoutMs / 1000} s and was stopped`,
      );
    case "cancelled":
      return fail("timeout", `it ${howEnded(end)}`);
    case "signalled":
      return fail("crashed", `it ${howEnded(end)} when asked ${asked}`);
    case "exited":
      return readExit(end, spec, asked);
  }
}

/** Messages of loaders and systems about a program that lacks a library or an interpreter. */
const LOADER_FAILURES: readonly {
  readonly pattern: RegExp;
  readonly lacks: (match: string) => string;
}[] = [
  {
    pattern: /version [`']?(GLIBC_[\w.]+)'? not found/,
    lacks: (version) => `it needs ${version}, and the C library of this machine is older`,
  },
  {
    pattern: /version [`']?([A-Z]+_[\w.]+)'? not found/,
    lacks: (version) => `it needs ${version}, and a library of this machine is older`,
  },
  {
    pattern:
      /(?:error while loading shared libraries|Error loading shared library|Library not loaded):? ([^:\s]+)/,
    lacks: (library) => `it needs ${library}, which is not there`,
  },
  {
    pattern: /Error relocating [^\n]*: (\w+): symbol not found/,
    lacks: (symbol) => `it is built for another C library (${symbol} is not there)`,
  },
];

/** Exit codes of Windows for a program whose library is missing, in both runtimes. */
const LIBRARY_MISSING = [0xc0000135, 0xc0000135 | 0];

function loaderFailure(code: number, printed: string): string | null {
  if (LIBRARY_MISSING.includes(code)) return "it needs a library (DLL) that is not there";
  for (const { pattern, lacks } of LOADER_FAILURES) {
    const match = pattern.exec(printed)?.[1];
    if (match !== undefined) return lacks(match);
  }
  return null;
}

function readExit(
  end: ProgramEnd & { readonly kind: "exited" },
  spec: ProbeSpec,
  asked: string,
): Result<Reported, Failure<ProbeFailureCode>> {
  const everything = ownLines(`${end.stdout}\n${end.stderr}`, spec.noise);
  if (!spec.accept.includes(end.code)) {
    const known = spec.knownFailures?.find(({ pattern }) => pattern.test(everything));
    if (known !== undefined) return fail("bad-exit", known.reason);
    const unloaded = loaderFailure(end.code, everything);
    if (unloaded !== null) return fail("not-started", `it does not start: ${unloaded}`);
    return fail(
      "bad-exit",
      `it exits with ${end.code} when asked ${asked}${quoted(everything)}`,
    );
  }
  const text = spec.stream === "either" ? everything : ownLines(end[spec.stream], spec.noise);
  const [, number, year] = spec.version.exec(text) ?? [];
  const version = year === undefined ? number : `${number} (${year})`;
  if (version === undefined || !isVersionText(version)) {
    return fail("no-version", `it tells no version when asked ${asked}${quoted(everything)}`);
  }
  const home = spec.home?.exec(text)?.[1];
  return ok(home === undefined ? { version } : { version, home });
}

function ownLines(text: string, noise: RegExp | undefined): string {
  return text
    .split(/\r?\n/)
    .filter((line) => noise === undefined || !noise.test(line))
    .join("\n");
}

function quoted(text: string): string {
  const line = reasonLine(text);
  return line === undefined ? "" : `: ${JSON.stringify(line.slice(0, 160))}`;
}
