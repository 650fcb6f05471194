import { escapeInvisible } from "../../core/invisible.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { shellLine, shellWord } from "../../core/shell-word.ts";
import type { Files, SyncStat } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import type { Processes } from "../../ports/processes.ts";
import {
  executableAt,
  hostPaths,
  howEnded,
  isBatchFile,
  mayBeTranslated,
  mismatchOf,
  type OutputStream,
  programAt,
  runStartable,
  type Spawn,
  startable,
  whichSync,
} from "../../programs/mod.ts";
import type { PhoneTarget } from "../../toolchain/mod.ts";
import type { Command } from "../config/config.ts";
import { folderPlace } from "./plan/project-text.ts";

/** The dependencies of running a step of a build. */
export interface StepDependencies {
  /** The project's file system. */
  readonly files: Pick<Files, "list" | "read" | "readRange" | "realPath">;
  /** Runs the program. */
  readonly processes: Processes;
  /** How programs are started on this machine. */
  readonly host: Pick<Host, "platform" | "arch" | "env">;
  /** Looks the program up. */
  readonly syncStat: SyncStat;
}

/** One command of a project's build. */
export interface Step {
  /** The program and its arguments. */
  readonly command: Command;
  /** The setting that it comes from: `build.web.command`. */
  readonly setting: string;
  /** The project's folder, absolute: where it runs. */
  readonly root: string;
  /** The app of the build, if there is one: the folder of its own project, below the project's or absolute. */
  readonly app?: { readonly folder: string; readonly target: PhoneTarget } | undefined;
  /** The whole environment; the program is looked up on its PATH. */
  readonly env: Readonly<Record<string, string>>;
  /** Receives each line of output as it arrives. */
  readonly onLine: (line: string, stream: OutputStream) => void;
  /** Kills the program and everything that it started. */
  readonly signal?: AbortSignal | undefined;
}

/** A program that was found, and how it is started. */
export interface ReadyStep {
  readonly step: Step;
  readonly spawn: Spawn;
  readonly cwd: string;
}

/** Maximum characters of a command in a message. */
const MAX_SHOWN = 200;

/** A command as messages show it, to be pasted into a terminal; a long one is cut, and ends in `…`. */
export function shownCommand(command: Command): string {
  const line = shellLine(command);
  return escapeInvisible(line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line);
}

/**
 * Looks a step's program up. Nothing is run.
 *
 * @returns 503 `no-program` if it is not on this machine, 422 `build-failed` if it cannot be started: it
 * is made for another machine, a script with the line endings of Windows, or refuses these arguments.
 */
export async function readyStep(
  { files, host, syncStat }: StepDependencies,
  step: Step,
): Promise<Result<ReadyStep, Problem>> {
  const { command: [program, ...args], env, root, setting } = step;
  const { platform } = host;
  const lookup = { platform, env, stat: syncStat };
  const cwd = await files.realPath(root) ?? root;
  const isPath = /[\\/]/.test(program);
  const paths = hostPaths(platform);
  const place = paths.isAbsolute(program)
    ? program
    : paths.join(cwd, program.replace(/^\.[\\/]/, ""));
  const path = isPath ? programAt(place, lookup) : whichSync(program, lookup);
  if (path === null) return isPath ? noProgramAt(place, step, syncStat) : noProgram(step);
  const unfit = await whyUnfit(path, { files, host, syncStat });
  if (unfit !== null) {
    return refuse(
      422,
      "build-failed",
      `Cannot build: the program ${quoted(program)} does not start: ${unfit}`,
      `Correct ${path}, or ${setting}`,
    );
  }
  const spawn = await startable(path, args, { files, host, syncStat, env });
  if (spawn.ok) return ok({ step, spawn: spawn.value, cwd });
  const { message, next } = spawn.error;
  return refuse(422, "build-failed", message, next ?? `Correct ${setting}`);
}

/** Why a program cannot run on this machine, by the beginning of its file; `null` if it may. */
async function whyUnfit(
  path: string,
  { files, host, syncStat }: Pick<StepDependencies, "files" | "host" | "syncStat">,
): Promise<string | null> {
  if (isBatchFile(path, host.platform)) return null;
  const file = await executableAt(path, { files });
  // A file without #! goes to a shell.
  if (file === null || file.kind === "text" || file.kind === "empty") return null;
  const mismatch = mismatchOf(file, host, syncStat);
  return mismatch?.certain && !await mayBeTranslated(file, host, { files })
    ? mismatch.reason
    : null;
}

function noProgram({ command: [program], setting }: Step): Result<never, Problem> {
  return refuse(
    503,
    "no-program",
    `Cannot build: found no program ${quoted(program)} on PATH`,
    `Install it, or correct ${setting}`,
  );
}

function noProgramAt(place: string, step: Step, stat: SyncStat): Result<never, Problem> {
  const { command: [program] } = step;
  const { kind, executable } = stat(place);
  const isPlainFile = kind === "file" && !executable;
  return refuse(
    503,
    "no-program",
    `Cannot build: found no program ${quoted(program)} there` +
      (isPlainFile ? ", only a file that is not executable" : ""),
    isPlainFile
      ? `Make it executable: chmod +x ${shellWord(program.replace(/^-/, "./-"))}`
      : nextStep(step, stat),
  );
}

/** The next step for a missing program: another tool makes the folder of a platform's own project. */
function nextStep({ command: [program], setting, root, app }: Step, stat: SyncStat): string {
  const isFolder = (folder: string) => stat(folderPlace(root, folder)).kind === "directory";
  const path = program.replace(/^\.[\\/]/, "").replaceAll("\\", "/");
  const isIn = (folder: string) => path.startsWith(`${folder}/`) && !isFolder(folder);
  if (app === undefined || !(isIn(app.folder) || isIn(app.target))) {
    return `Add it to the project, or correct ${setting}`;
  }
  const { folder, target } = app;
  return isFolder(folder)
    ? `Correct ${setting}: the app's own project is in ${folder}/`
    : `Create the app's own project in ${folder}/ (with Capacitor: cap add ${target}), or ` +
      `correct ${setting}`;
}

function quoted(program: string): string {
  return JSON.stringify(program.slice(0, MAX_SHOWN));
}

/**
 * Runs a step to its end; it has no deadline of its own.
 *
 * @returns The first 64 KiB of its standard output, and its last lines; 422 `build-failed` with these if
 * it does not exit 0.
 */
export async function runStep(
  { processes, host }: Pick<StepDependencies, "processes" | "host">,
  { step: { command, env, onLine, signal }, spawn, cwd }: ReadyStep,
): Promise<Result<{ readonly stdout: string; readonly tail: string }, Problem>> {
  const failed = (how: string, said: string) =>
    refuse(
      422,
      "build-failed",
      `The build ${shownCommand(command)} failed: ${how}${said}`,
      `Run the command in the project's folder${givenBy(env, host)}, correct what it says, and ` +
        "call again",
    );
  const end = await runStartable(spawn, { cwd, env, signal, onLine, machine: { processes } });
  if (end.kind === "exited" && end.code === 0) return ok({ stdout: end.stdout, tail: end.tail });
  const how = `it ${howEnded(end)}`;
  return end.kind === "refused" || end.kind === "not-started"
    ? failed(how, "")
    : failed(how, withTail(end.tail));
}

/** The last lines of a program, as the end of a sentence. */
export function withTail(tail: string): string {
  return tail === "" ? "; it printed nothing" : `; its last lines:\n${tail}`;
}

/** Variables that the user's terminal lacks: run by hand, the command would find other tools. */
function givenBy(env: Step["env"], host: StepDependencies["host"]): string {
  const given = ["JAVA_HOME", "ANDROID_HOME"].flatMap((name) => {
    const value = env[name];
    return value === undefined || value === host.env(name) ? [] : [`${name}=${value}`];
  });
  return given.length === 0 ? "" : ` with ${given.join(" and ")} set`;
}
