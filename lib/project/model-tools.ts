import { type Problem, refuse } from "../core/problem.ts";
import { type Failure, ok, type Result } from "../core/result.ts";
import { withoutSecrets } from "../core/secrets.ts";
import type { Host } from "../ports/host.ts";
import type { Files } from "../ports/files.ts";
import type { Processes } from "../ports/processes.ts";
import { joinPath, parentPath } from "../toolchain/host-paths.ts";
import type { Toolchain } from "../toolchain/mod.ts";
import type { SyncStat } from "../toolchain/ports.ts";
import { behindShim } from "../toolchain/shim.ts";
import { isBatchFile, runnable, type Spawn, spawnable } from "../toolchain/spawnable.ts";
import { programAt } from "../toolchain/which.ts";

/** The programs that prepare models, under the names that npm gives them. */
export const MODEL_TOOLS = {
  "gltf-transform-cli": "gltf-transform",
  gltfpack: "gltfpack",
} as const;

/** A program that prepares models. */
export type ModelToolId = keyof typeof MODEL_TOOLS;

/** What running a model tool works with. */
export interface ModelToolDependencies {
  /** Reads the shims of Windows. */
  readonly files: Pick<Files, "read">;
  /** Runs the programs. */
  readonly processes: Processes;
  /** How programs are started on this machine. */
  readonly host: Host;
  /** Looks `npx` up. */
  readonly syncStat: SyncStat;
  /** Finds the tools, and says whether anything else counts. */
  readonly toolchain: Pick<
    Toolchain,
    "detect" | "withToolOnPath" | "systemToolchainAllowed"
  >;
}

/** One run of a model tool. */
export interface ModelToolRun {
  readonly id: ModelToolId;
  readonly args: readonly string[];
  /** Where it runs, absolute; also where `npx` looks for what a project brings itself. */
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
}

interface Program {
  readonly path: string;
  /** What stands before the tool's own arguments. */
  readonly first: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const MAX_OUTPUT_BYTES = 64 * 1024;
/** Far longer than any model takes: a program that hangs must not hold an import for ever. */
const DEADLINE_MS = 10 * 60_000;

/**
 * Runs a model tool (spec §4.8, build use): the detected one; in development also what
 * `npx --no-install` finds in the project. In bundled-only mode nothing else counts.
 *
 * @returns 503 `tool-absent` that points at Build Support; 422 `model-tool-failed` with what it said.
 */
export async function runModelTool(
  dependencies: ModelToolDependencies,
  run: ModelToolRun,
): Promise<Result<{ readonly stdout: string }, Problem>> {
  const { processes } = dependencies;
  const program = await modelProgram(dependencies, run);
  if (!program.ok) return program;
  const { env } = program.value;
  const spawn = await spawnOf(program.value, run.args, dependencies);
  if (!spawn.ok) {
    return refuse(422, "model-tool-failed", spawn.error.message, "Rename the file and try again");
  }
  const ended = await processes.run({
    ...runnable(spawn.value),
    cwd: run.cwd,
    env,
    timeoutMs: DEADLINE_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    ...(run.signal && { signal: run.signal }),
  });
  if (ended.kind === "exited" && ended.code === 0) return ok({ stdout: ended.stdout });
  const how = ended.kind === "exited"
    ? `exited ${ended.code}`
    : ended.kind === "not-started"
    ? `did not start (${ended.reason})`
    : ended.kind === "killed"
    ? ended.by === "timeout" ? "took longer than 10 minutes" : "was stopped"
    : `ended by ${ended.signalName}`;
  const said = ended.kind === "not-started" ? "" : `${ended.stderr}\n${ended.stdout}`.trim();
  return refuse(
    422,
    "model-tool-failed",
    `${MODEL_TOOLS[run.id]} ${how}${said === "" ? "" : `: ${said.slice(-1_000)}`}`,
    "See that the file is a whole glTF model, or import it without optimize",
  );
}

/** How the program is started with these arguments. */
async function spawnOf(
  { path, first, env }: Program,
  args: readonly string[],
  { files, host, syncStat: stat }: ModelToolDependencies,
): Promise<Result<Spawn, Failure>> {
  const { platform } = host;
  return spawnable(path, [...first, ...args], {
    platform,
    stat,
    systemRoot: host.env("SystemRoot"),
    behind: isBatchFile(path, platform) ? await behindShim(path, { files, stat, env }) : null,
  });
}

async function modelProgram(
  dependencies: ModelToolDependencies,
  { id, cwd, signal }: ModelToolRun,
): Promise<Result<Program, Problem>> {
  const { toolchain, host, syncStat, processes } = dependencies;
  const base = withoutSecrets(host.environment());
  const detection = await toolchain.detect(id);
  if (detection.present) {
    const env = await toolchain.withToolOnPath(id, base);
    return ok({ path: detection.path, first: [], env: env.ok ? env.value : base });
  }
  const npm = await toolchain.systemToolchainAllowed() ? await toolchain.detect("npm") : null;
  if (npm?.present) {
    const env = await toolchain.withToolOnPath("npm", base);
    const { platform } = host;
    const npx = programAt(joinPath(parentPath(npm.path, platform), "npx", platform), {
      platform,
      env: base,
      stat: syncStat,
    });
    const first = ["--no-install", MODEL_TOOLS[id]];
    const program = npx === null ? null : { path: npx, first, env: env.ok ? env.value : base };
    if (program !== null && await answers(program)) return ok(program);
  }
  return refuse(
    503,
    "tool-absent",
    `Cannot prepare the model: ${id} is not there (${detection.reason})`,
    `Install it from Build Support (install_tool id=${id})`,
  );

  /** Whether npx finds the tool; it does not install what is missing. */
  async function answers(program: Program): Promise<boolean> {
    const version = id === "gltfpack" ? "-v" : "--version";
    const spawn = await spawnOf(program, [version], dependencies);
    if (!spawn.ok) return false;
    const ended = await processes.run({
      ...runnable(spawn.value),
      cwd,
      env: program.env,
      timeoutMs: 30_000,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      ...(signal && { signal }),
    });
    return ended.kind === "exited" && ended.code === 0;
  }
}
