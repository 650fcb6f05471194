import { ok, type Result } from "../../core/result.ts";
import { allowedSecrets } from "../../core/secrets.ts";
import {
  howEnded,
  type ProgramMachine,
  runProgram,
  scrubbedEnvironment,
} from "../../programs/mod.ts";
import {
  cancelled,
  failInstall,
  fileFailure,
  type InstallFailure,
  noSpace,
} from "../work/failure.ts";
import type { InstallProgress } from "../work/progress.ts";
import { unpackArchive } from "./extract.ts";
import { npmFailure, READ_ABOVE } from "./npm-failure.ts";
import { countingFetched, type NpmFetches } from "./npm-progress.ts";
import { NpmNotes } from "./npm-notes.ts";
import type { BuildContext } from "./recipe.ts";

// Steps that several recipes share.

const MAX_OUTPUT_BYTES = 256 * 1024;

/** Unpacks a download into a folder of the staging folder; a `.jar` is a zip. */
export async function unpack(
  archive: string,
  { into, only, strip }: {
    readonly into: string;
    readonly only?: string;
    readonly strip: number;
  },
  context: Pick<BuildContext, "files" | "host" | "staging" | "progress" | "signal">,
): Promise<Result<void, InstallFailure>> {
  const { files } = context;
  const folder = context.staging.at(into);
  try {
    await files.makeDirectory(folder);
  } catch (thrown) {
    return fileFailure(thrown, `make ${folder}`);
  }
  const done = await unpackArchive(archive, { into: folder, only, strip }, context);
  return done.ok ? ok(undefined) : done;
}

/** A program that an installation runs. */
export interface ProgramRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** For people: what it does, after "Cannot". */
  readonly purpose: string;
  readonly timeoutMs: number;
  /** The next step when it fails; that of a program which asks the network when absent. */
  readonly next?: string;
}

/**
 * Runs a program as a step of an installation, and passes on what it prints.
 *
 * @returns The beginning of its standard output.
 */
export async function runRecipeStep(
  { command, args, purpose, next = READ_ABOVE, ...options }: ProgramRun,
  { files, host, processes, syncStat, progress, signal }:
    & ProgramMachine
    & { readonly progress: InstallProgress; readonly signal: AbortSignal },
): Promise<Result<string, InstallFailure>> {
  const notes = new NpmNotes();
  const end = await runProgram(command, args, {
    ...options,
    signal,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    machine: { files, host, processes, syncStat },
    onLine(line) {
      const text = line.trimEnd();
      if (text === "") return;
      notes.take(text);
      progress.log(text);
    },
  });
  if (end.kind === "exited" && end.code === 0 && !notes.isDiskFull) return ok(end.stdout);
  switch (end.kind) {
    case "cancelled":
      return cancelled(purpose);
    case "refused":
      return failInstall(
        "process",
        `Cannot ${purpose}: ${end.reason}`,
        "Move the toolchain folder",
      );
    case "not-started":
      return failInstall("process", `Cannot ${purpose}: ${end.reason}`, next);
  }
  if (notes.isDiskFull) return noSpace(`Cannot ${purpose}: ${command} finds the disk full`);
  const npm = npmFailure(notes.errors);
  const found = `Cannot ${purpose}: ${command} ${howEnded(end)}${notes.said(end.tail)}`;
  if (end.kind === "timed-out") {
    return failInstall(npm.code, found, "Install again: it goes on from what was fetched");
  }
  return failInstall(npm.code, found, npm.next === READ_ABOVE ? next : npm.next);
}

/**
 * The environment of npm: without what changes a program and without secrets, but with npm's own
 * settings (the user's registry, its token, the proxy), and what the user lets builds see: a `.npmrc`
 * may refer to a variable. No script of a package runs, so nobody else sees them.
 */
function npmEnvironment(
  env: Readonly<Record<string, string>>,
  around: Readonly<Record<string, string>>,
): Record<string, string> {
  const configuration = Object.entries(env).filter(([name]) => /^npm_config_/i.test(name));
  return {
    ...scrubbedEnvironment(around, allowedSecrets(env)),
    ...Object.fromEntries(configuration),
  };
}

/** A run of npm. */
export interface NpmRun {
  readonly cwd: string;
  /** For people: what it does, after "Cannot". */
  readonly purpose: string;
  /** npm's cache, in the toolchain folder: used by this work alone, and removed after it. */
  readonly cache: string;
  /** Downloads of the run, to be counted while it runs. */
  readonly fetches?: NpmFetches;
}

type NpmContext = Pick<
  BuildContext,
  "clock" | "files" | "folder" | "host" | "processes" | "progress" | "signal" | "syncStat" | "tool"
>;

/**
 * Settings that override a user's `.npmrc`, which could leave out the programs in `.bin`, take packages for
 * another machine or write nothing. `null` is npm's default. Settings of the network stay as they are.
 * `workspace` cannot be overridden: {@linkcode npmFailure} names it.
 */
const OVER_SETTINGS: readonly string[] = [
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--bin-links",
  "--location=project",
  "--no-global",
  "--no-workspaces",
  "--no-dry-run",
  "--no-package-lock-only",
  "--no-usage",
  "--allow-file=all",
  "--os=null",
  "--cpu=null",
  "--libc=null",
];

/** Runs npm: our own where the policy says so, else the one that was found. */
export async function runNpm(
  args: readonly string[],
  { cwd, purpose, cache, fetches }: NpmRun,
  context: NpmContext,
): Promise<Result<string, InstallFailure>> {
  const npm = await context.tool("npm");
  if (!npm.ok) return npm;
  const env = npmEnvironment(context.host.environment(), npm.value.env);
  const [, users = ""] = Object.entries(env)
    .find(([name]) => name.toLowerCase() === "npm_config_cache") ?? [];
  const folder = users === "" ? context.folder.at(cache) : users;
  const work = runRecipeStep({
    command: npm.value.tool.path,
    args: [
      ...args,
      ...OVER_SETTINGS,
      ...(users === "" ? ["--cache", folder] : []),
    ],
    cwd,
    env,
    purpose,
    timeoutMs: NPM_MS,
  }, context);
  if (fetches === undefined) return await work;
  return await countingFetched(work, { fetches, cache: folder, label: "with npm" }, context);
}

/** npm may have a slow mirror behind it. */
const NPM_MS = 20 * 60_000;
