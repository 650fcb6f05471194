import { FileError } from "../../core/file-error.ts";
import { ok, type Result } from "../../core/result.ts";
import { joinPath, parentPath } from "../host-paths.ts";
import type { PackageId } from "../pins.ts";
import type { ToolId } from "../types.ts";
import { failInstall, fileFailure, type InstallFailure } from "./failure.ts";
import { underLock } from "./guarded.ts";
import type { LockContext } from "./lock.ts";
import type { InstallProgress } from "./progress.ts";
import { filledPlace, inFolder, readReceipt } from "./receipt.ts";
import type { Recipe } from "./recipe.ts";
import { type SwapContext, swapOut, sweep } from "./swap.ts";

/** What was removed. */
export interface Uninstalled {
  /** Which package. */
  readonly package: PackageId;
  /** The tools that it brought: all of them are gone. */
  readonly tools: readonly ToolId[];
  /** False when nothing was installed. */
  readonly removed: boolean;
  /** Bytes of the files that were removed. */
  readonly freed: number;
}

/** What removing a package needs. */
export interface UninstallContext extends SwapContext, LockContext {
  readonly progress: InstallProgress;
  readonly signal: AbortSignal;
  /** Removes what lies in the package's places although no receipt says that it was installed. */
  readonly force: boolean;
}

/**
 * Removes a package: exactly what its receipt names. What a user keeps beside it stays. What lies
 * there without a receipt may be anybody's, and stays as well; only `force` takes it: what an
 * installation would put there, or the link in its place.
 *
 * @returns `no-receipt` that names what lies there.
 */
export async function uninstallPackage(
  recipe: Recipe,
  context: UninstallContext,
): Promise<Result<Uninstalled, InstallFailure>> {
  return await underLock<Uninstalled>(recipe.id, {
    progress: context.progress,
    signal: context.signal,
    whenTaken: "wait",
    work: async ({ token, log }) => {
      try {
        await sweep(recipe.id, context);
        const receipt = await readReceipt(recipe.id, context);
        const last = recipe.goesLast ?? [];
        const places = (receipt?.places ?? await placesOf(recipe, context))
          .filter((place) => !last.includes(place));
        const unknown = receipt === null && !context.force
          ? await filledPlace(places, context)
          : null;
        if (unknown !== null) return noReceipt(recipe, unknown);
        let freed = 0;
        for (const place of places) freed += await bytesBelow(inFolder(place, context), context);
        const removed = await swapOut(recipe.id, { ...context, places, run: token });
        if (!removed.ok) return removed;
        for (const place of places) await pruneEmpty(place, context);
        await removeLast(recipe, context);
        if (removed.value) log.log(`Removed ${recipe.title}`);
        return ok({ package: recipe.id, tools: recipe.tools, removed: removed.value, freed });
      } catch (thrown) {
        if (thrown instanceof FileError) return fileFailure(thrown, `remove ${recipe.title}`);
        throw thrown;
      }
    },
  }, context);
}

function noReceipt({ title, tools }: Recipe, path: string): Result<never, InstallFailure> {
  return failInstall(
    "no-receipt",
    `Cannot remove ${title}: ${path} is there, and no receipt says that the editor installed it`,
    `If nothing in it is needed, remove it by hand, or run 'toolchain.ts uninstall ${
      tools[0] ?? ""
    } --force'`,
  );
}

/** A home that is a link leads to what is not ours: the link alone goes. */
async function placesOf(recipe: Recipe, context: UninstallContext): Promise<readonly string[]> {
  const [home = ""] = recipe.folders;
  const isLink = (await context.files.stat(inFolder(home, context)))?.kind === "symlink";
  return isLink ? recipe.folders : recipe.owns ?? recipe.folders;
}

/** What other packages in the home still need, such as an accepted licence, stays with them. */
async function removeLast(
  { folders: [home = ""], goesLast = [] }: Recipe,
  context: UninstallContext,
): Promise<void> {
  const names = goesLast.map((file) => file.slice(home.length + 1).split("/")[0]);
  const left = (await context.files.list(inFolder(home, context))) ?? [];
  if (left.some(({ name }) => !names.includes(name))) return;
  for (const file of goesLast) {
    await context.files.remove(inFolder(file, context));
    await pruneEmpty(file, context);
  }
}

async function bytesBelow(path: string, context: UninstallContext): Promise<number> {
  const { files, host } = context;
  const stat = await files.stat(path);
  if (stat?.kind !== "directory") return stat?.size ?? 0;
  let sum = 0;
  for (const { name } of (await files.list(path)) ?? []) {
    sum += await bytesBelow(joinPath(path, name, host.platform), context);
  }
  return sum;
}

/** Removes the folders above a place that are empty now, up to the toolchain folder. */
async function pruneEmpty(place: string, context: UninstallContext): Promise<void> {
  const { files, host, toolchainDir } = context;
  let folder = parentPath(inFolder(place, context), host.platform);
  while (folder.length > toolchainDir.length && folder.startsWith(toolchainDir)) {
    const entries = await files.list(folder);
    if (entries !== null && entries.length > 0) return;
    await files.remove(folder);
    folder = parentPath(folder, host.platform);
  }
}
