import { atResolved } from "../../core/inside.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import type { GameRuntime } from "../../ports/game-runtime.ts";
import type { Command } from "../config/config.ts";
import type { GameConfig } from "./build-game.ts";
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
  /** The project's file system. */
  readonly files: Files;
  /** Runtime that built games contain; a project with its own build command needs none. */
  readonly gameRuntime?: GameRuntime | undefined;
}

/** One build. */
export interface BuildOptions {
  /** The project's folder, absolute. */
  readonly root: string;
  /** Its settings. */
  readonly config: OutFolderConfig & GameConfig;
  /** The whole environment of the build: {@linkcode buildEnvironment}. */
  readonly env: Readonly<Record<string, string>>;
  /** Receives each line of output as it arrives. */
  readonly onLine: (line: string, stream: OutputStream) => void;
  /** Kills the build and everything that it started. */
  readonly signal?: AbortSignal;
}

/** The result of a build. */
export interface BuiltFolder {
  /** The out folder, absolute; it holds this build's files and no others. */
  readonly folder: string;
}

/**
 * Makes the web build of a project in an emptied folder, so that what comes out is fresh (BUILD-5):
 * Slipway's own build, or the project's command, which has no deadline. Everything that the build needs
 * is looked up before the folder is emptied.
 *
 * @returns 422 `unsafe-out`, `out-not-empty`, `out-not-emptied`, `build-failed` or `build-empty`; 503
 * `no-program` when the command's program is not on this machine, `no-game-runtime`; 404
 * `scene-not-found`.
 */
export async function buildWeb(
  dependencies: BuildDependencies,
  options: BuildOptions,
): Promise<Result<BuiltFolder, Problem>> {
  const files = atResolved(dependencies.files); // the out folder's own path, whatever takes its place
  const { root, config } = options;
  const { command } = config.build.web;
  const ready = command === undefined
    ? await readyOwn(dependencies, options)
    : await readyCommand(dependencies, options, command);
  if (!ready.ok) return ready;
  const found = await checkOutFolder(files, root, config);
  if (!found.ok) return found;
  const emptied = await emptyOutFolder(files, found.value);
  if (!emptied.ok) return emptied;

  const run = await ready.value(found.value.path);
  // Looked at again: a build may have put a link in place of its folder.
  const built = await findOutFolder(files, root, config);
  // A build that failed or was cancelled also leaves files, which the next one has to empty.
  if (built.ok) await markOutFolder(files, built.value);
  if (!run.ok) return run;
  if (!built.ok) return built;
  if (command === undefined || await hasFiles(files, built.value.path)) {
    return ok({ folder: built.value.path });
  }
  const { out } = config.build.web;
  return refuse(
    422,
    "build-empty",
    `The build ${shownCommand(command)} exited 0 and left no file in ${out}` +
      withTail(run.value.tail),
    `See that the command writes into build.web.out (${out})`,
  );
}

/** A build whose requirements are met: fills the folder. @returns The end of its output. */
type ReadyBuild = (folder: string) => Promise<Result<{ readonly tail: string }, Problem>>;

async function readyOwn(
  { files, gameRuntime }: BuildDependencies,
  { root, config, onLine, signal }: BuildOptions,
): Promise<Result<ReadyBuild, Problem>> {
  const log = (line: string) => onLine(line, "stdout");
  const build = { files, gameRuntime, root, config, log, signal };
  // It reads scenes and models, which no other command waits for.
  const { readyGame, writeGame } = await import("./build-game.ts");
  const ready = await readyGame(build);
  if (!ready.ok) return ready;
  return ok(async (folder) => {
    const out = { ...build, files: atResolved(files) };
    const written = await writeGame(out, ready.value, folder);
    return written.ok ? ok({ tail: "" }) : written;
  });
}

async function readyCommand(
  dependencies: BuildDependencies,
  { root, env, onLine, signal }: BuildOptions,
  command: Command,
): Promise<Result<ReadyBuild, Problem>> {
  const step = { command, setting: "build.web.command", root, env, onLine, signal };
  const ready = await readyStep(dependencies, step);
  return ready.ok ? ok(() => runStep(dependencies, ready.value)) : ready;
}
