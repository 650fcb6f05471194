import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { BUILD_MARK } from "../../ota-publish/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { Hashing } from "../../ports/hashing.ts";
import type { PhoneTarget } from "../../toolchain/mod.ts";
import type { Command } from "../config/config.ts";
import type { AppFolders } from "./capacitor-report.ts";
import { shownCommand } from "./run-step.ts";

// BUILD-12: an app holds the web build that was just made, whatever its settings say. So what Capacitor
// copied is compared with the build before the app itself is built.

/** The dependencies of comparing. */
export interface CopyDependencies {
  readonly files: Pick<Files, "list" | "stat" | "readChunks">;
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

/** Whether a command of Capacitor copies the web build into the app of a target. */
export function copiesInto(command: Command, target: PhoneTarget): boolean {
  const other = target === "android" ? "ios" : "android";
  return command.some((word) => word === "sync" || word === "copy") && !command.includes(other);
}

/**
 * Compares every file of the web build with its copy in the app. Files that Capacitor adds are ignored,
 * and with `--inline` also the scripts, which it rewrites.
 *
 * @returns 422 `app-differs` with the first file that is missing or different.
 */
export async function compareCopy(
  dependencies: CopyDependencies,
  { target, built, folders, command, signal }: AppCopy,
): Promise<Result<null, Problem>> {
  const rewritten = command.includes("--inline") ? /\.js(?:\.map)?$/ : /(?!)/;
  for await (const path of filesIn(dependencies.files, built)) {
    if (rewritten.test(path)) continue;
    const found = await difference(
      dependencies,
      [`${built}/${path}`, `${folders.copy}/${path}`],
      signal,
    );
    if (found === null) continue;
    return refuse(
      422,
      "app-differs",
      `Cannot build ${target}: ${JSON.stringify(path)} of the web build is ${found} in the app, ` +
        `${folders.copy}, after ${shownCommand(command)}`,
      `Have Capacitor copy ${built}: it copies ${folders.web} by webDir in ${folders.settings}. Steps ` +
        "that change the web build belong into build.web.command",
    );
  }
  return ok(null);
}

/** Yields the path of each file below a folder, except the mark of a build. */
async function* filesIn(
  files: CopyDependencies["files"],
  folder: string,
  inner = "",
): AsyncGenerator<string> {
  for (const { name, kind } of await files.list(`${folder}/${inner}`) ?? []) {
    const path = `${inner}${name}`;
    if (kind === "directory") yield* filesIn(files, folder, `${path}/`);
    else if (path !== BUILD_MARK) yield path;
  }
}

/** How a copy differs from its file; `null` if it does not. */
async function difference(
  { files, hashing }: CopyDependencies,
  [path, copy]: readonly [path: string, copy: string],
  signal: AbortSignal | undefined,
): Promise<"missing" | "different" | null> {
  const [own, copied] = await Promise.all([files.stat(path), files.stat(copy)]);
  if (copied === null) return "missing";
  if (own?.size !== copied.size) return "different";
  const hashes = await Promise.all([path, copy].map(async (each) => {
    const hash = hashing.createSha256();
    for await (const chunk of await files.readChunks(each, signal) ?? []) hash.update(chunk);
    return hash.hex();
  }));
  return hashes[0] === hashes[1] ? null : "different";
}
