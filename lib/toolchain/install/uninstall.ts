import { FileError } from "../../core/file-error.ts";
import { ok, type Result } from "../../core/result.ts";
import { underLock } from "../installed/guarded.ts";
import type { LockContext } from "../installed/lock.ts";
import {
  filledPlace,
  leadsOut,
  readFileRecords,
  readReceipt,
  type Receipt,
} from "../installed/receipt.ts";
import { type SwapContext, swapOut, sweep } from "../installed/swap.ts";
import type { PackageId, ToolId } from "../tools/ids.ts";
import type { ToolPackage } from "../tools/package.ts";
import { failInstall, fileFailure, type InstallFailure } from "../work/failure.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import type { InstallProgress } from "../work/progress.ts";

/** Result of an uninstallation. */
export interface Uninstalled {
  /** The package. */
  readonly package: PackageId;
  /** The tools of the package, all of which are removed. */
  readonly tools: readonly ToolId[];
  /** False when nothing was installed. */
  readonly removed: boolean;
  /** Bytes of the files that were removed. */
  readonly freed: number;
}

/** Dependencies of removing a package. */
export interface UninstallContext extends SwapContext, LockContext {
  readonly progress: InstallProgress;
  readonly signal: AbortSignal;
  /** Removes everything in the package's places, even without a receipt. */
  readonly force: boolean;
}

/**
 * Removes exactly the files that a package's receipt names. Files next to the package are kept, and so are
 * files without a receipt or added later, which may be the user's own. Only with `force` these are removed,
 * too: the places of an installation, or the link in place of one.
 *
 * @returns `no-receipt` with the path of the files.
 */
export async function uninstallPackage(
  recipe: ToolPackage,
  context: UninstallContext,
): Promise<Result<Uninstalled, InstallFailure>> {
  const { id, tools } = recipe;
  const isUsed =
    await context.folder.files.stat(context.folder.root).catch(() => undefined) !== null;
  if (!isUsed) return ok({ package: id, tools, removed: false, freed: 0 });
  return await underLock<Uninstalled>(id, {
    progress: context.progress,
    signal: context.signal,
    whenTaken: "wait",
    work: async ({ token, log }) => {
      try {
        await sweep(recipe.id, context);
        const receipt = await ownReceipt(recipe, context.folder);
        const last = recipe.shared ?? [];
        const places = (receipt?.places ?? await placesOf(recipe, context.folder))
          .filter((place) => !last.some(({ path }) => path === place));
        const unknown = receipt === null && !context.force
          ? await filledPlace(places, context.folder)
          : null;
        if (unknown !== null) return noReceipt(recipe, unknown, context);
        const records = receipt === null ? null : await readFileRecords(recipe.id, context.folder);
        const known = records === null ? null : new Set(records.map(({ path }) => path));
        const found = await survey(places, known, context.folder);
        const [added] = found.added;
        if (added !== undefined && !context.force) {
          return notInstalled(recipe, { path: added, more: found.added.length - 1 }, context);
        }
        const removed = await swapOut(recipe.id, { places, run: token }, context);
        if (!removed.ok) return removed;
        for (const place of places) await pruneEmpty(place, context.folder);
        await removeLast(recipe, context.folder);
        if (removed.value) log.log(`Removed ${recipe.title}`);
        return ok({
          package: recipe.id,
          tools: recipe.tools,
          removed: removed.value,
          freed: found.bytes,
        });
      } catch (thrown) {
        if (thrown instanceof FileError) return fileFailure(thrown, `remove ${recipe.title}`);
        throw thrown;
      }
    },
  }, context);
}

/**
 * Returns the receipt of a package, unless it names a place of another package or of the toolchain itself, or
 * one behind a link to another folder: the places that it names will be removed.
 */
async function ownReceipt(
  recipe: ToolPackage,
  toolchain: ToolchainFolder,
): Promise<Receipt | null> {
  const receipt = await readReceipt(recipe.id, toolchain);
  for (const place of receipt?.places ?? []) {
    const isOwn = recipe.folders.some((folder) => `${place}/`.startsWith(`${folder}/`));
    if (!isOwn || await leadsOut(place, toolchain)) return null;
  }
  return receipt;
}

function noReceipt(
  recipe: ToolPackage,
  path: string,
  context: UninstallContext,
): Result<never, InstallFailure> {
  return failInstall(
    "no-receipt",
    `Cannot remove ${recipe.title}: ${path} is there, and no receipt says that the editor installed it`,
    `If nothing in it is needed, remove it by hand, or run ${forced(recipe, context)}`,
  );
}

function notInstalled(
  recipe: ToolPackage,
  { path, more }: { readonly path: string; readonly more: number },
  context: UninstallContext,
): Result<never, InstallFailure> {
  const rest = more > 0 ? ` (and ${more} more)` : "";
  return failInstall(
    "no-receipt",
    `Cannot remove ${recipe.title}: ${path}${rest} is in it, which the editor did not install`,
    `Move what is needed elsewhere, or run ${forced(recipe, context)}`,
  );
}

function forced({ id, tools }: ToolPackage, { host }: UninstallContext): string {
  return `'${host.cli} toolchain uninstall ${tools[0] ?? id} --force'`;
}

/** A home that is a link leads to what is not ours: the link alone goes. */
async function placesOf(
  recipe: ToolPackage,
  folder: ToolchainFolder,
): Promise<readonly string[]> {
  const [home = ""] = recipe.folders;
  const isLink = (await folder.files.stat(folder.at(home)))?.kind === "symlink";
  return isLink ? recipe.folders : recipe.owns ?? recipe.folders;
}

/** Removes files last. Files that other packages in the home still need, such as a licence, are kept. */
async function removeLast(
  { folders: [home = ""], shared = [] }: ToolPackage,
  folder: ToolchainFolder,
): Promise<void> {
  const names = shared.map(({ path }) => path.slice(home.length + 1).split("/")[0]);
  const left = (await folder.files.list(folder.at(home))) ?? [];
  if (left.some(({ name }) => !names.includes(name))) return;
  for (const { path } of shared) {
    await folder.files.remove(folder.at(path));
    await pruneEmpty(path, folder);
  }
}

/** Files that systems create in folders that a user opens. */
const OF_SYSTEM = [".DS_Store", "Thumbs.db", "desktop.ini"];

/**
 * The bytes of all files in some places, and the paths of those that were not installed.
 *
 * @param known The paths that were; `null` if that is unknown: then all count as installed.
 */
async function survey(
  places: readonly string[],
  known: ReadonlySet<string> | null,
  folder: ToolchainFolder,
): Promise<{ readonly bytes: number; readonly added: readonly string[] }> {
  const { files } = folder;
  const added: string[] = [];
  let bytes = 0;
  const walk = async (path: string, name: string): Promise<void> => {
    const full = folder.at(path);
    const stat = await files.stat(full);
    if (stat?.kind === "directory") {
      for (const { name } of (await files.list(full)) ?? []) await walk(`${path}/${name}`, name);
      return;
    }
    if (stat === null) return;
    bytes += stat.size;
    if (known?.has(path) === false && !OF_SYSTEM.includes(name)) added.push(path);
  };
  for (const place of places) await walk(place, place);
  return { bytes, added };
}

/** Removes the folders above a place that are empty now, up to the toolchain folder. */
async function pruneEmpty(place: string, toolchain: ToolchainFolder): Promise<void> {
  const { files, paths, root } = toolchain;
  let folder = paths.parent(toolchain.at(place));
  while (folder.length > root.length && folder.startsWith(root)) {
    const entries = await files.list(folder);
    if (entries !== null && entries.length > 0) return;
    await files.remove(folder);
    folder = paths.parent(folder);
  }
}
