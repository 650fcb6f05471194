import { FileError } from "../../core/file-error.ts";
import { ok, type Result } from "../../core/result.ts";
import { parentPath } from "../../programs/mod.ts";
import { underLock } from "../installed/guarded.ts";
import type { LockContext } from "../installed/lock.ts";
import {
  filledPlace,
  inFolder,
  leadsOut,
  readFileRecords,
  readReceipt,
  type Receipt,
} from "../installed/receipt.ts";
import { type SwapContext, swapOut, sweep } from "../installed/swap.ts";
import type { PackageId, ToolId } from "../tools/ids.ts";
import type { ToolPackage } from "../tools/package.ts";
import { failInstall, fileFailure, type InstallFailure } from "../work/failure.ts";
import type { InstallProgress } from "../work/progress.ts";

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
 * there without a receipt, or was put into the package since, may be anybody's, and stays as well;
 * only `force` takes it: what an installation would put there, or the link in its place.
 *
 * @returns `no-receipt` that names what lies there.
 */
export async function uninstallPackage(
  recipe: ToolPackage,
  context: UninstallContext,
): Promise<Result<Uninstalled, InstallFailure>> {
  const { id, tools } = recipe;
  const isUsed = await context.files.stat(context.toolchainDir).catch(() => undefined) !== null;
  if (!isUsed) return ok({ package: id, tools, removed: false, freed: 0 });
  return await underLock<Uninstalled>(id, {
    progress: context.progress,
    signal: context.signal,
    whenTaken: "wait",
    work: async ({ token, log }) => {
      try {
        await sweep(recipe.id, context);
        const receipt = await ownReceipt(recipe, context);
        const last = recipe.shared ?? [];
        const places = (receipt?.places ?? await placesOf(recipe, context))
          .filter((place) => !last.some(({ path }) => path === place));
        const unknown = receipt === null && !context.force
          ? await filledPlace(places, context)
          : null;
        if (unknown !== null) return noReceipt(recipe, unknown, context);
        const records = receipt === null ? null : await readFileRecords(recipe.id, context);
        const known = records === null ? null : new Set(records.map(({ path }) => path));
        const found = await survey(places, known, context);
        const [added] = found.added;
        if (added !== undefined && !context.force) {
          return notInstalled(recipe, { path: added, more: found.added.length - 1 }, context);
        }
        const removed = await swapOut(recipe.id, { ...context, places, run: token });
        if (!removed.ok) return removed;
        for (const place of places) await pruneEmpty(place, context);
        await removeLast(recipe, context);
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
 * The receipt of a package, unless it names what is not the package's: a place of another package or
 * of the toolchain itself, or one behind a link that leads out. What it names is removed.
 */
async function ownReceipt(recipe: ToolPackage, context: UninstallContext): Promise<Receipt | null> {
  const receipt = await readReceipt(recipe.id, context);
  for (const place of receipt?.places ?? []) {
    const isOwn = recipe.folders.some((folder) => `${place}/`.startsWith(`${folder}/`));
    if (!isOwn || await leadsOut(place, context)) return null;
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
  context: UninstallContext,
): Promise<readonly string[]> {
  const [home = ""] = recipe.folders;
  const isLink = (await context.files.stat(inFolder(home, context)))?.kind === "symlink";
  return isLink ? recipe.folders : recipe.owns ?? recipe.folders;
}

/** What other packages in the home still need, such as an accepted licence, stays with them. */
async function removeLast(
  { folders: [home = ""], shared = [] }: ToolPackage,
  context: UninstallContext,
): Promise<void> {
  const names = shared.map(({ path }) => path.slice(home.length + 1).split("/")[0]);
  const left = (await context.files.list(inFolder(home, context))) ?? [];
  if (left.some(({ name }) => !names.includes(name))) return;
  for (const { path } of shared) {
    await context.files.remove(inFolder(path, context));
    await pruneEmpty(path, context);
  }
}

/** Files that systems leave wherever somebody looks. */
const OF_SYSTEM = [".DS_Store", "Thumbs.db", "desktop.ini"];

/**
 * The bytes of all files in some places, and the paths of those that were not installed.
 *
 * @param known The paths that were; `null` where nobody can tell, and then all count as installed.
 */
async function survey(
  places: readonly string[],
  known: ReadonlySet<string> | null,
  context: UninstallContext,
): Promise<{ readonly bytes: number; readonly added: readonly string[] }> {
  const { files } = context;
  const added: string[] = [];
  let bytes = 0;
  const walk = async (path: string, name: string): Promise<void> => {
    const full = inFolder(path, context);
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
