import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { Files } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import type { Processes } from "../ports/processes.ts";
import { isAbsolutePath, joinPath } from "../toolchain/host-paths.ts";
import type { SyncStat } from "../toolchain/ports.ts";
import { runnable, spawnable } from "../toolchain/spawnable.ts";
import { programAt, whichSync } from "../toolchain/which.ts";
import type { Command } from "./config.ts";
import { emptyOutFolder, findOutFolder, hasFiles, type OutFolderConfig } from "./out-folder.ts";
import { createOutputLines, type OutputStream } from "./output-lines.ts";

/** What a build works with. */
export interface BuildDependencies {
  /** The file system that the project lies on. */
  readonly files: Files;
  /** Runs the build. */
  readonly processes: Processes;
  /** The environment, and how programs are started. */
  readonly host: Host;
  /** Looks the program up on PATH. */
  readonly syncStat: SyncStat;
}

/** One build. */
export interface BuildOptions {
  /** The project's folder, absolute. */
  readonly root: string;
  /** Its settings. */
  readonly config: OutFolderConfig;
  /** Told each line of output as it comes. */
  readonly onLine: (line: string, stream: OutputStream) => void;
  /** Kills the build and all that it started. */
  readonly signal?: AbortSignal;
}

/** What was built. */
export interface BuiltFolder {
  /** The out folder, absolute; it holds this build's files and no others. */
  readonly folder: string;
}

/** Variables that a build never sees: this service's own, and credentials of clouds (CONTRACTS §3). */
const WITHHELD =
  /^(?:SVC_|AWS_|AZURE_|CLOUDSDK_|GCLOUD_|BOTO_|GCE_METADATA_|GOOGLE_.*(?:CREDENTIAL|TOKEN|SECRET|KEY_FILE))/i;

/**
 * Runs a project's web build into an emptied folder, so that what comes out is fresh (spec §4.6, rule
 * 1). It has no deadline: only `signal` stops it.
 *
 * @returns 422 `unsafe-out`, `out-not-emptied`, `build-failed` or `build-empty`; 503 `no-program` when
 * the command's program is not on this machine.
 */
export async function buildWeb(
  dependencies: BuildDependencies,
  options: BuildOptions,
): Promise<Result<BuiltFolder, Problem>> {
  const { files } = dependencies;
  const { root, config, signal } = options;
  const { command, out } = config.build.web;
  const shown = command.join(" ").slice(0, 200);
  const start = await startOf(dependencies, root, command);
  if (!start.ok) return start;
  const found = await findOutFolder(files, root, config);
  if (!found.ok) return found;
  const emptied = await emptyOutFolder(files, found.value);
  if (!emptied.ok) return emptied;

  const lines = createOutputLines(options.onLine);
  const run = await dependencies.processes.run({
    ...start.value,
    timeoutMs: Number.MAX_SAFE_INTEGER,
    maxOutputBytes: 0, // read by lines, as it comes
    onOutput: lines.push,
    ...(signal && { signal }),
  });
  lines.end();
  if (run.kind === "not-started") {
    return buildFailed(shown, `it did not start: ${run.reason}`, "");
  }
  if (run.kind !== "exited" || run.code !== 0) {
    const how = run.kind === "exited"
      ? `it exited ${run.code}, expected 0`
      : run.kind === "killed"
      ? "it was stopped"
      : `it was ended by ${run.signalName}`;
    return buildFailed(shown, how, lines.tail());
  }
  // Looked at again: a build may have put a link in place of its folder.
  const built = await findOutFolder(files, root, config);
  if (!built.ok) return built;
  if (!built.value.exists || !await hasFiles(files, built.value.path)) {
    return refuse(
      422,
      "build-empty",
      `The build ${shown} exited 0 and left no file in ${out}${withTail(lines.tail())}`,
      `See that the command writes into build.web.out (${out})`,
    );
  }
  return ok({ folder: built.value.path });
}

/** The environment of a build: this process's, without what is nobody else's. */
export function buildEnvironment(environment: Readonly<Record<string, string>>): {
  readonly [name: string]: string;
} {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !WITHHELD.test(name)));
}

async function startOf(
  { files, host, syncStat }: BuildDependencies,
  root: string,
  [program, ...args]: Command,
): Promise<Result<BuildStart, Problem>> {
  const { platform } = host;
  const env = host.environment();
  const lookup = { platform, env, stat: syncStat };
  const cwd = await files.realPath(root) ?? root;
  const path = isAbsolutePath(program, platform)
    ? programAt(program, lookup)
    : /[\\/]/.test(program)
    ? programAt(joinPath(cwd, program.replace(/^\.[\\/]/, ""), platform), lookup)
    : whichSync(program, lookup);
  if (path === null) {
    return refuse(
      503,
      "no-program",
      `Cannot build: found no program ${JSON.stringify(program.slice(0, 200))} ` +
        (/[\\/]/.test(program) ? "there" : "on PATH"),
      "Install it, or correct build.web.command",
    );
  }
  const spawn = spawnable(path, args, {
    platform,
    stat: syncStat,
    systemRoot: host.env("SystemRoot"),
  });
  if (!spawn.ok) {
    const { message, next } = spawn.error;
    return refuse(422, "build-failed", message, next ?? "Correct build.web.command");
  }
  return ok({ ...runnable(spawn.value), cwd, env: buildEnvironment(env) });
}

type BuildStart = ReturnType<typeof runnable> & {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

function buildFailed(shown: string, how: string, tail: string): Result<never, Problem> {
  return refuse(
    422,
    "build-failed",
    `The build ${shown} failed: ${how}${withTail(tail)}`,
    "Run the command in the project's folder, correct what it says, and call again",
  );
}

function withTail(tail: string): string {
  return tail === "" ? "; it printed nothing" : `; its last lines:\n${tail}`;
}
