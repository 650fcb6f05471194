import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { withoutSecrets } from "../../core/secrets.ts";
import type { Host } from "../../ports/host.ts";
import type { Files, SyncStat } from "../../ports/files.ts";
import type { Processes } from "../../ports/processes.ts";
import { hostOutside, hostPaths, howEnded, programAt, runProgram } from "../../programs/mod.ts";
import { isPackaged, type Toolchain } from "../../toolchain/mod.ts";

/** The programs that prepare models, under the names that npm gives them. */
export const MODEL_TOOLS = {
  "gltf-transform-cli": "gltf-transform",
  gltfpack: "gltfpack",
} as const;

/** A program that prepares models. */
export type ModelToolId = keyof typeof MODEL_TOOLS;

/** The dependencies of running a model tool. */
export interface ModelToolDependencies {
  /** Reads the shims of Windows, and follows links of PATH. */
  readonly files: Pick<Files, "read" | "realPath">;
  /** Runs the programs. */
  readonly processes: Processes;
  /** The machine on which programs are started. */
  readonly host: Host;
  /** The project's folder; only the programs that are marked as the project's run from it. */
  readonly project?: string;
  /** Looks `npx` up. */
  readonly syncStat: SyncStat;
  /** Finds the tools, and decides whether others count. */
  readonly toolchain: Pick<
    Toolchain,
    "detect" | "withToolOnPath" | "systemToolchainAllowed"
  >;
}

/** One run of a model tool. */
export interface ModelToolRun {
  readonly args: readonly string[];
  /** Its absolute working folder, in which `npx` also searches the project's own programs. */
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
}

/** The program behind a model tool, and how it is started. */
export interface ModelProgram {
  readonly id: ModelToolId;
  readonly path: string;
  /** Arguments before the tool's own. */
  readonly first: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether it may be code of the project, found by `npx`. */
  readonly isOfProject: boolean;
}

/** Far longer than any model takes: a program that hangs must not hold an import for ever. */
const DEADLINE_MS = 10 * 60_000;

/** A run as people and agents read it: `gltfpack -i model.glb …`. */
export function shownRun(
  { id, path, first, isOfProject }: ModelProgram,
  args: readonly string[],
): string {
  const words = isOfProject ? ["npx", ...first, ...args] : [path, ...args];
  return `${id}: ${words.join(" ")}`;
}

/**
 * Runs a model tool.
 *
 * @returns 422 `model-tool-failed` with its output.
 */
export async function runModelTool(
  dependencies: ModelToolDependencies,
  program: ModelProgram,
  { args, cwd, signal }: ModelToolRun,
): Promise<Result<{ readonly stdout: string }, Problem>> {
  const { env, id, path, first } = program;
  const end = await runProgram(path, [...first, ...args], {
    cwd,
    env,
    timeoutMs: DEADLINE_MS,
    signal,
    machine: dependencies,
  });
  if (end.kind === "exited" && end.code === 0) return ok({ stdout: end.stdout });
  const said = "tail" in end && end.tail !== "" ? `: ${end.tail}` : "";
  return refuse(
    422,
    "model-tool-failed",
    `${MODEL_TOOLS[id]} ${howEnded(end)}${said}`,
    end.kind === "refused"
      ? "Rename the file and try again"
      : "Check that the file is a complete glTF model, or import it without optimize",
  );
}

/**
 * Finds the program of a model tool (BUILD-7): the detected one; in development also the one that
 * `npx --no-install` finds in the project, which is known only by running it. In bundled-only mode,
 * and in the packaged editor, no other program counts. Runs nothing of the project.
 *
 * @returns 503 `tool-absent` that points at Build Support.
 */
export async function modelProgram(
  dependencies: ModelToolDependencies,
  id: ModelToolId,
): Promise<Result<ModelProgram, Problem>> {
  const { toolchain, syncStat } = dependencies;
  const host = await hostOutside(dependencies);
  const base = withoutSecrets(host.environment());
  const detection = await toolchain.detect(id);
  if (detection.present) {
    const env = await toolchain.withToolOnPath(id, base);
    const { path } = detection;
    return ok({ id, path, first: [], env: env.ok ? env.value : base, isOfProject: false });
  }
  const mayBeOfProject = !isPackaged({ host }) && await toolchain.systemToolchainAllowed();
  const npm = mayBeOfProject ? await toolchain.detect("npm") : null;
  if (npm?.present) {
    const env = await toolchain.withToolOnPath("npm", base);
    const { platform } = host;
    const paths = hostPaths(platform);
    const npx = programAt(paths.join(paths.parent(npm.path), "npx"), {
      platform,
      env: base,
      stat: syncStat,
    });
    const first = ["--no-install", MODEL_TOOLS[id]];
    if (npx !== null) {
      return ok({ id, path: npx, first, env: env.ok ? env.value : base, isOfProject: true });
    }
  }
  return absent(id, detection.reason);
}

/**
 * Checks that a program exists: `npx`'s program is asked for its version, and so is run.
 *
 * @returns 503 `tool-absent`.
 */
export async function answers(
  dependencies: ModelToolDependencies,
  program: ModelProgram,
  { cwd, signal }: Pick<ModelToolRun, "cwd" | "signal">,
): Promise<Result<null, Problem>> {
  const { id, env, path, first, isOfProject } = program;
  if (!isOfProject) return ok(null);
  const version = id === "gltfpack" ? "-v" : "--version";
  const end = await runProgram(path, [...first, version], {
    cwd,
    env,
    timeoutMs: 30_000,
    signal,
    machine: dependencies,
  });
  if (end.kind === "exited" && end.code === 0) return ok(null);
  return absent(
    id,
    end.kind === "refused"
      ? end.reason
      : `neither this machine nor the project has ${MODEL_TOOLS[id]}`,
  );
}

function absent(id: ModelToolId, reason: string): Result<never, Problem> {
  return refuse(
    503,
    "tool-absent",
    `Cannot prepare the model: ${id} is not there (${reason})`,
    `Install it from Build Support (install_tool id=${id})`,
  );
}
