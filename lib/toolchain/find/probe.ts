import { fail, type Failure, ok, type Result } from "../../core/result.ts";
import { withoutSecrets } from "../../core/secrets.ts";
import type { RunOutput, RunResult } from "../../ports/processes.ts";
import {
  behindShim,
  executableAt,
  hostPaths,
  isBatchFile,
  isOnNoexec,
  misfitOf,
  NOEXEC,
  runnable,
  spawnable,
} from "../../programs/mod.ts";
import type { ProbeSpec } from "../tools/descriptor.ts";
import { isVersionText } from "../tools/versions.ts";
import type { Platform, ToolchainDeps } from "../work/ports.ts";

/** Why a program did not tell its version. */
export type ProbeFailureCode =
  | "not-spawnable"
  | "not-started"
  | "timeout"
  | "crashed"
  | "bad-exit"
  | "no-version";

/** Bytes kept of each output stream; a version stands at the beginning. */
const MAX_OUTPUT_BYTES = 64 * 1024;

// Variables that change what a tool does or prints.
const SCRUBBED = [
  /^JAVA_TOOL_OPTIONS$/,
  /^_JAVA_OPTIONS$/,
  /^JDK_JAVA_OPTIONS$/,
  /^NODE_OPTIONS$/,
  /^NODE_PATH$/,
  /^NODE_DEBUG$/,
  /^NPM_CONFIG_/,
  /^NPM_PACKAGE_/,
  /^NPM_LIFECYCLE_/,
  /^RUBYOPT$/,
  /^RUBYLIB$/,
  /^GEM_/,
  /^BUNDLE_/,
];

/**
 * The environment of the host without what would change a tool, and without secrets.
 *
 * @param allowed Secrets that stay: {@linkcode allowedSecrets}.
 */
export function scrubbedEnvironment(
  env: Readonly<Record<string, string>>,
  allowed: readonly string[] = [],
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(withoutSecrets(env, allowed))
      .filter(([name]) => !SCRUBBED.some((rule) => rule.test(name.toUpperCase()))),
  );
}

/** `env` with `folders` in front of its PATH, each once. */
export function withFolders(
  env: Readonly<Record<string, string>>,
  folders: readonly string[],
  platform: Platform,
): Record<string, string> {
  if (folders.length === 0) return { ...env };
  const paths = hostPaths(platform);
  const key = paths.environmentKey(env, "PATH") ?? (platform === "win32" ? "Path" : "PATH");
  const rest = (env[key] ?? "").split(paths.delimiter).filter((f) =>
    f !== "" && !folders.includes(f)
  );
  return { ...env, [key]: [...folders, ...rest].join(paths.delimiter) };
}

/**
 * Asks a program for its version, hardened: a deadline that kills the whole tree, bounded output, no
 * input, a neutral working folder (never the project), a scrubbed environment.
 *
 * @param env The whole environment of the probe.
 */
export async function probe(
  path: string,
  spec: ProbeSpec,
  { env, signal, ...deps }: Pick<ToolchainDeps, "files" | "processes" | "host" | "syncStat"> & {
    readonly env: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Result<string, Failure<ProbeFailureCode>>> {
  const { host, processes } = deps;
  const { platform } = host;
  const shim = { files: deps.files, stat: deps.syncStat, env };
  const spawn = spawnable(path, spec.args, {
    platform,
    systemRoot: host.env("SystemRoot"),
    stat: deps.syncStat,
    behind: isBatchFile(path, platform) ? await behindShim(path, shim) : null,
  });
  if (!spawn.ok) return fail("not-spawnable", spawn.error.message);
  const result = await processes.run({
    ...runnable(spawn.value),
    cwd: host.temporary,
    env: { ...env, ...spec.env },
    timeoutMs: spec.timeoutMs,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    ...(signal !== undefined && { signal }),
  });
  const read = readProbe(result, spec);
  if (read.ok || read.error.code === "timeout") return read;
  const why = await whyNotHere(path, result, deps);
  return why === null ? read : fail("not-started", `it does not start: ${why}`);
}

/** Why a program that failed cannot run on this machine at all, or `null`. */
async function whyNotHere(
  path: string,
  result: RunResult,
  deps: Pick<ToolchainDeps, "files" | "host" | "syncStat">,
): Promise<string | null> {
  if (result.kind === "not-started" && await isOnNoexec(path, deps)) return NOEXEC;
  const program = isBatchFile(path, deps.host.platform) ? null : await executableAt(path, deps);
  return program === null ? null : misfitOf(program, deps.host, deps.syncStat)?.reason ?? null;
}

/** Reads the version out of what a program did. The message is a sentence part. */
export function readProbe(
  result: RunResult,
  spec: ProbeSpec,
): Result<string, Failure<ProbeFailureCode>> {
  const asked = `'${spec.args.join(" ")}'`;
  switch (result.kind) {
    case "not-started":
      return fail("not-started", `it does not start: ${result.reason}`);
    case "killed":
      return fail(
        "timeout",
        result.by === "timeout"
          ? `it did not answer ${asked} within ${spec.timeoutMs / 1000} s and was stopped`
          : "it was stopped",
      );
    case "signalled":
      return fail("crashed", `it ended by ${result.signalName} when asked ${asked}`);
    case "exited":
      return readExit(result, spec, asked);
  }
}

/** What loaders print, and systems answer, of a program that lacks something on this machine. */
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

/** How Windows ends a program whose library is not there, as either runtime gives it. */
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
  result: RunOutput & { readonly code: number },
  spec: ProbeSpec,
  asked: string,
): Result<string, Failure<ProbeFailureCode>> {
  const everything = ownLines(`${result.stdout}\n${result.stderr}`, spec.noise);
  if (!spec.accept.includes(result.code)) {
    const known = spec.knownFailures?.find(({ pattern }) => pattern.test(everything));
    if (known !== undefined) return fail("bad-exit", known.reason);
    const unloaded = loaderFailure(result.code, everything);
    if (unloaded !== null) return fail("not-started", `it does not start: ${unloaded}`);
    return fail(
      "bad-exit",
      `it exits with ${result.code} when asked ${asked}${quoted(everything)}`,
    );
  }
  const text = spec.stream === "either" ? everything : ownLines(result[spec.stream], spec.noise);
  const [, number, year] = spec.version.exec(text) ?? [];
  const version = year === undefined ? number : `${number} (${year})`;
  return version === undefined || !isVersionText(version)
    ? fail("no-version", `it tells no version when asked ${asked}${quoted(everything)}`)
    : ok(version);
}

function ownLines(text: string, noise: RegExp | undefined): string {
  return text
    .split(/\r?\n/)
    .filter((line) => noise === undefined || !noise.test(line))
    .join("\n");
}

function quoted(text: string): string {
  const line = text.split("\n").map((l) => l.trim()).find((l) => l !== "");
  return line === undefined ? "" : `: ${JSON.stringify(line.slice(0, 160))}`;
}
