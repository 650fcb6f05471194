import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import {
  checkOutFolder,
  emptyOutFolder,
  findOutFolder,
  hasFiles,
  markOutFolder,
  type OutFolderConfig,
} from "./out-folder.ts";
import type { OutputStream } from "../../programs/mod.ts";
import { readyStep, runStep, shownCommand, type StepDependencies, withTail } from "./run-step.ts";

/** The dependencies of a build. */
export interface BuildDependencies extends StepDependencies {
  /** The file system that the project lies on. */
  readonly files: Files;
}

/** One build. */
export interface BuildOptions {
  /** The project's folder, absolute. */
  readonly root: string;
  /** Its settings. */
  readonly config: OutFolderConfig;
  /** The whole environment of the build: {@linkcode buildEnvironment}. */
  readonly env: Readonly<Record<string, string>>;
  /** Told each line of output as it comes. */
  readonly onLine: (line: string, stream: OutputStream) => void;
  /** Kills the build and all that it started. */
  readonly signal?: AbortSignal;
}

/** The result of a build. */
export interface BuiltFolder {
  /** The out folder, absolute; it holds this build's files and no others. */
  readonly folder: string;
}

/**
 * Runs a project's web build into an emptied folder, so that what comes out is fresh (BUILD-5). It
 * has no deadline: only `signal` stops it.
 *
 * @returns 422 `unsafe-out`, `out-not-empty`, `out-not-emptied`, `build-failed` or `build-empty`; 503 `no-program` when
 * the command's program is not on this machine.
 */
export async function buildWeb(
  dependencies: BuildDependencies,
  { root, config, env, onLine, signal }: BuildOptions,
): Promise<Result<BuiltFolder, Problem>> {
  const { files } = dependencies;
  const { command, out } = config.build.web;
  const step = { command, setting: "build.web.command", root, env, onLine, signal };
  const ready = await readyStep(dependencies, step);
  if (!ready.ok) return ready;
  const found = await checkOutFolder(files, root, config);
  if (!found.ok) return found;
  const emptied = await emptyOutFolder(files, found.value);
  if (!emptied.ok) return emptied;

  const run = await runStep(dependencies, ready.value);
  // Looked at again: a build may have put a link in place of its folder.
  const built = await findOutFolder(files, root, config);
  // A build that failed or was stopped leaves the next one something to empty, too.
  if (built.ok) await markOutFolder(files, built.value);
  if (!run.ok) return run;
  if (!built.ok) return built;
  if (!built.value.exists || !await hasFiles(files, built.value.path)) {
    return refuse(
      422,
      "build-empty",
      `The build ${shownCommand(command)} exited 0 and left no file in ${out}` +
        withTail(run.value.tail),
      `See that the command writes into build.web.out (${out})`,
    );
  }
  return ok({ folder: built.value.path });
}
