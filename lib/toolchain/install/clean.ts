import { FileError } from "../../core/file-error.ts";
import { messageOf, ok, type Result } from "../../core/result.ts";
import type { PinnedFile } from "../bundle/contents.ts";
import {
  type HeldLock,
  type LockContext,
  ownerOf,
  takeLock,
  takeOverLock,
  type ToolchainLockOwner,
  watchOwner,
} from "../installed/lock.ts";
import { isBrokenOff, type SwapContext, sweep } from "../installed/swap.ts";
import { NPM_TOOLS_CACHE, TARBALL_FOLDER } from "../recipes/npm-tarballs.ts";
import { PACKAGE_IDS, type PackageId } from "../tools/ids.ts";
import { failInstall, fileFailure, type InstallFailure } from "../work/failure.ts";
import type { InstallProgress } from "../work/progress.ts";
import { treeBytes } from "./disk.ts";

// Leftovers of installations that were killed or failed, and files kept to resume from. Files of a package
// are removed under its lock, so that no running installation loses them.

/** Kinds of leftovers, by their place. */
export type LeftoverKind = "download" | "npm-cache" | "staging" | "trash" | "log";

/** Something that nothing which is installed needs. */
export interface Leftover {
  /** Relative to the toolchain folder, written with `/`. */
  readonly path: string;
  /** Kind of the leftover. */
  readonly kind: LeftoverKind;
  /** Bytes of all files in it. */
  readonly bytes: number;
}

/** Result of cleaning, or its plan. */
export interface Cleaned {
  /** Whether it was only looked. */
  readonly dryRun: boolean;
  /** Leftovers that were removed, or would be. */
  readonly removed: readonly Leftover[];
  /** Bytes of all leftovers together. */
  readonly bytes: number;
  /** Packages whose leftovers stay, as another process works on them. */
  readonly busy: readonly { readonly package: PackageId; readonly by: string }[];
  /** Paths that could not be removed. */
  readonly failed: readonly { readonly path: string; readonly reason: string }[];
}

/** Dependencies of cleaning. */
export interface CleanContext extends SwapContext, LockContext {
  readonly progress: InstallProgress;
  readonly signal: AbortSignal;
  /** Every file that may have been downloaded, with its package. */
  readonly known: readonly PinnedFile[];
  readonly dryRun: boolean;
}

/**
 * Removes downloads, caches of npm, what killed runs left in `staging` and `trash`, and the logs of
 * runs that are over. A swap that was interrupted is undone first: the version before comes back.
 */
export async function cleanToolchain(
  context: CleanContext,
): Promise<Result<Cleaned, InstallFailure>> {
  const { folder, dryRun } = context;
  const nothing = { dryRun, removed: [], bytes: 0, busy: [], failed: [] };
  try {
    if ((await folder.files.stat(folder.root)) === null) return ok(nothing);
    if (context.dryRun) {
      const busy = await working(context);
      const removed = await leftovers({ busy: busy.map((each) => each.package), own: [] }, context);
      return ok({ ...nothing, removed, bytes: sumOf(removed), busy });
    }
    return await underFreeLocks(context);
  } catch (thrown) {
    return fileFailure(thrown, `clean ${folder.root}`);
  }
}

async function underFreeLocks(context: CleanContext): Promise<Result<Cleaned, InstallFailure>> {
  const { folder, progress, signal } = context;
  const held: HeldLock[] = [];
  const busy: Cleaned["busy"][number][] = [];
  try {
    for (const id of PACKAGE_IDS) {
      const taken = await lockUnlessBusy(id, context);
      if ("release" in taken) held.push(taken);
      else busy.push({ package: id, by: nameOf(taken) });
    }
    const taken = busy.map((each) => each.package);
    const found = await leftovers({ busy: taken, own: held.map(({ token }) => token) }, context);
    for (const id of PACKAGE_IDS) if (!taken.includes(id)) await sweep(id, context);
    const removed: Leftover[] = [];
    const failed: Cleaned["failed"][number][] = [];
    for (const leftover of found) {
      if (signal.aborted) {
        return failInstall("cancelled", "Stopped before everything was removed", "Start it again");
      }
      try {
        await folder.files.remove(folder.at(leftover.path));
        removed.push(leftover);
        progress.log(`Removed ${leftover.path}`);
      } catch (thrown) {
        if (!(thrown instanceof FileError)) throw thrown;
        failed.push({ path: leftover.path, reason: messageOf(thrown) });
      }
    }
    return ok({ dryRun: false, removed, bytes: sumOf(removed), busy, failed });
  } finally {
    for (const lock of held) await lock.release();
  }
}

/** Time for which a lock is watched whose owner's process has ended, in milliseconds. */
const WATCH_MS = 2_500;
const LOOK_MS = 100;

/** A lock that is free, or whose owner is dead. */
async function lockUnlessBusy(
  id: PackageId,
  context: CleanContext,
): Promise<HeldLock | ToolchainLockOwner> {
  const taken = await takeLock(id, context);
  if ("release" in taken || isAtWork(taken, context)) return taken;
  const { clock, signal } = context;
  const isDead = watchOwner(id, taken, context);
  const until = clock.monotonic() + WATCH_MS;
  for (;;) {
    const isLast = clock.monotonic() >= until; // before the look: a busy machine may sleep past it
    if (await isDead()) return (await takeOverLock(id, taken, context)) ?? taken;
    if (isLast) return taken;
    await clock.sleep(LOOK_MS, signal);
  }
}

/** Whether the owner of a lock may be alive, judged by its process. */
function isAtWork({ hostname, pid }: ToolchainLockOwner, { host, isAlive }: CleanContext): boolean {
  return hostname !== host.hostname || isAlive(pid);
}

async function working(context: CleanContext): Promise<Cleaned["busy"]> {
  const busy: Cleaned["busy"][number][] = [];
  for (const id of PACKAGE_IDS) {
    const owner = await ownerOf(id, context);
    if (owner !== null && isAtWork(owner, context)) busy.push({ package: id, by: nameOf(owner) });
  }
  return busy;
}

function nameOf({ pid, hostname, since }: ToolchainLockOwner): string {
  return `process ${pid} on ${hostname}, since ${since}`;
}

/**
 * Everything that may go, but for what belongs to packages that are worked on.
 *
 * @param options.own The tokens of the locks that are held for it.
 */
async function leftovers(
  { busy, own }: { readonly busy: readonly PackageId[]; readonly own: readonly string[] },
  { folder, known }: CleanContext,
): Promise<Leftover[]> {
  const found: Leftover[] = [];
  const look = async (
    place: string,
    kindOf: (name: string) => LeftoverKind,
    packageOf: (name: string) => PackageId | null,
  ): Promise<void> => {
    for (const { name } of (await folder.files.list(folder.at(place))) ?? []) {
      const id = packageOf(name);
      // A leftover of no package may be in use by any process that holds a lock.
      const isFree = id === null ? busy.length === 0 : !busy.includes(id);
      if (!isFree) continue;
      const path = `${place}/${name}`;
      found.push({
        path,
        kind: kindOf(name),
        bytes: await treeBytes(folder.at(path), folder),
      });
    }
  };
  const npm = NPM_TOOLS_CACHE.split("/")[1];
  await look("downloads", (name) => name === npm ? "npm-cache" : "download", (name) => {
    if (name === npm || name === TARBALL_FOLDER) return "npm-tools";
    const file = name.replace(/\.part(?:\.json)?$/, "");
    return known.find((pinned) => pinned.file === file)?.package ?? null;
  });
  await look("staging", () => "staging", ofRun);
  const broken: PackageId[] = [];
  for (const id of PACKAGE_IDS) if (await isBrokenOff(id, folder)) broken.push(id);
  await look("trash", () => "trash", ofRun);
  await look(
    "locks",
    () => "log",
    (name) => PACKAGE_IDS.find((id) => name.startsWith(`${id}.`)) ?? null,
  );
  return found.filter(({ path, kind }) => {
    if (kind === "log") return isOfPast(path, own);
    // Files that a swap moved there are restored: see `sweep`.
    return kind !== "trash" || !broken.some((id) => path.startsWith(`trash/${id}-`));
  });
}

/** The package of a run's folder: `<package>-<run>`. */
function ofRun(name: string): PackageId | null {
  return PACKAGE_IDS.find((id) => name.startsWith(`${id}-`)) ?? null;
}

/** Whether a file next to the locks belongs to a finished run; the locks themselves are kept. */
function isOfPast(path: string, own: readonly string[]): boolean {
  return /\.(?:log|heir|beat)$/.test(path) && !own.some((token) => path.includes(token));
}

function sumOf(leftovers: readonly Leftover[]): number {
  return leftovers.reduce((sum, { bytes }) => sum + bytes, 0);
}
