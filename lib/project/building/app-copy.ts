import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { BUILD_MARK } from "../../ota-publish/mod.ts";
import type { Files, FileStat } from "../../ports/files.ts";
import type { Hashing } from "../../ports/hashing.ts";
import type { PhoneTarget } from "../../toolchain/mod.ts";
import type { Command } from "../config/config.ts";
import { capacitorCall } from "./capacitor-command.ts";
import { type AppFolders, comparablePath } from "./capacitor-report.ts";
import { shownCommand } from "./run-step.ts";

// BUILD-12: an app holds the web build that was just made, whatever its settings say. So the copy that
// Capacitor made is compared with the build before the app itself is built.

/** The dependencies of {@linkcode compareCopy}. */
export interface CopyDependencies {
  readonly files: Pick<Files, "list" | "stat" | "realPath" | "readChunks">;
  readonly hashing: Pick<Hashing, "createSha256">;
}

/** A copy of a web build, and the command that made it. */
export interface AppCopy {
  readonly target: PhoneTarget;
  /** The web build, absolute. */
  readonly built: string;
  readonly folders: AppFolders;
  readonly command: Command;
  readonly signal?: AbortSignal | undefined;
}

/** Files of Capacitor's own, which it writes over those of the web build: they load plugins of Cordova. */
const OF_CAPACITOR = ["cordova.js", "cordova_plugins.js"];

/**
 * Compares every file of the web build with its copy in the app. Files that Capacitor adds are ignored,
 * and so are those that it writes itself: {@linkcode OF_CAPACITOR}, and scripts and style sheets into
 * which it puts their source maps (`--inline`; `run` always does).
 *
 * @returns 422 `app-differs` with the first file that is missing or different.
 */
export async function compareCopy(
  { files, hashing }: CopyDependencies,
  { target, built, folders, command, signal }: AppCopy,
): Promise<Result<null, Problem>> {
  const args = capacitorCall(command)?.args ?? [];
  const inlines = args.includes("--inline") || args.includes("run");
  for await (const path of filesIn(files, built, { inlines })) {
    const pair = [`${built}/${path}`, `${folders.copy}/${path}`] as const;
    const found = await difference({ files, hashing }, pair, signal);
    if (found === null) continue;
    const isCopied =
      await comparablePath(files, folders.web) === await comparablePath(files, built);
    return refuse(
      422,
      "app-differs",
      `Cannot build ${target}: ${JSON.stringify(path)} of the web build is ${found} in the app, ` +
        `${folders.copy}, after ${shownCommand(command)}`,
      nextStep(path, { built, folders, command, isCopied }),
    );
  }
  return ok(null);
}

function nextStep(
  path: string,
  { built, folders, command, isCopied }: Pick<AppCopy, "built" | "folders" | "command"> & {
    /** Whether Capacitor copies from the folder of the web build. */
    readonly isCopied: boolean;
  },
): string {
  const change = "Steps that change the web build belong in build.web.command";
  if (!isCopied) {
    return `Have Capacitor copy ${built}: it copies ${folders.web} by webDir in ${folders.settings}. ` +
      change;
  }
  if (path.startsWith("plugins/")) {
    return "Rename the folder plugins of the web build: Capacitor keeps that name for plugins of Cordova";
  }
  return `Check whether ${
    shownCommand(command)
  } printed an error, and whether a hook in package.json ` +
    `(capacitor:copy:after, capacitor:sync:after) changes the copy. ${change}`;
}

/** Yields the path of each file below a folder that Capacitor copies unchanged, except the mark of a build. */
async function* filesIn(
  files: CopyDependencies["files"],
  folder: string,
  { inlines, inner = "" }: { readonly inlines: boolean; readonly inner?: string },
): AsyncGenerator<string> {
  const entries = await files.list(`${folder}/${inner}`) ?? [];
  const names = new Set(entries.map(({ name }) => name));
  for (const { name, kind } of entries) {
    const path = `${inner}${name}`;
    if (kind === "directory") yield* filesIn(files, folder, { inlines, inner: `${path}/` });
    else if (path === BUILD_MARK || OF_CAPACITOR.includes(path)) continue;
    else if (!inlines || !isInlined(name, names)) yield path;
  }
}

/** Whether a file is a script or a style sheet with a source map next to it, or that map. */
function isInlined(name: string, names: ReadonlySet<string>): boolean {
  const code = name.replace(/\.map$/, "");
  return /\.(?:css|js)$/.test(code) && names.has(code) && names.has(`${code}.map`);
}

/** Compares a copy with its file; `null` if they are equal. A folder behind a link has only to exist. */
async function difference(
  { files, hashing }: CopyDependencies,
  pair: readonly [path: string, copy: string],
  signal: AbortSignal | undefined,
): Promise<"missing" | "different" | null> {
  const [own, copied] = await Promise.all(pair.map((each) => statOf(files, each)));
  if (!own) return null; // a link to nothing, or removed since
  if (!copied) return "missing";
  if (own.kind !== copied.kind || own.size !== copied.size) return "different";
  if (own.kind !== "file") return null;
  const hashes = await Promise.all(pair.map(async (each) => {
    const hash = hashing.createSha256();
    for await (const chunk of await files.readChunks(each, signal) ?? []) hash.update(chunk);
    return hash.hex();
  }));
  return hashes[0] === hashes[1] ? null : "different";
}

/** Facts about what a path leads to, links followed. */
async function statOf(files: CopyDependencies["files"], path: string): Promise<FileStat | null> {
  const stat = await files.stat(path);
  if (stat?.kind !== "symlink") return stat;
  const real = await files.realPath(path);
  return real === null ? null : await files.stat(real);
}
