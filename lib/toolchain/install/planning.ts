import { ok, type Result } from "../../core/result.ts";
import { hostOutside } from "../../programs/mod.ts";
import { readMirrors } from "../download/mirror-settings.ts";
import { bringsNode } from "../find/policy.ts";
import { downloadBytes, type PlatformKey } from "../pins/pins.ts";
import type { BuildContext, Recipe, WorkContext } from "../recipes/recipe.ts";
import { recipeFor } from "../recipes/recipes.ts";
import type { ToolId } from "../tools/ids.ts";
import { packageOf, packagesWith, pinOf, type Pins } from "../tools/tools.ts";
import { failInstall, type InstallFailure } from "../work/failure.ts";
import { ToolchainFolder } from "../work/folder.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import { notInstallable } from "./install.ts";
import type { InstallOptions, InstallPlan, OperationOptions } from "./operations.ts";

/** Dependencies of the installer. */
export interface InstallerDeps extends ToolchainDeps {
  readonly folder: ToolchainFolder;
  /** Finds a tool as the editor does, with the environment that it runs in. */
  readonly find: (id: ToolId, folder: ToolchainFolder) => ReturnType<BuildContext["tool"]>;
  /** Called when tools may have been added or removed. */
  readonly changed: () => void;
}

/** Values that the operations of one installer share. */
export interface InstallerContext {
  readonly deps: InstallerDeps;
  readonly pins: Pins;
  /** The platform of this machine, as pins name it; `null` if nothing is pinned for it. */
  readonly key: PlatformKey | null;
}

/** Returns the toolchain folder at a path; by default the installer's own. */
export function folderAt({ deps }: InstallerContext, root = deps.folder.root): ToolchainFolder {
  return new ToolchainFolder(root, deps.files, deps.host.platform);
}

/** Collects what an operation works with: its folder, mirrors, progress and cancellation. */
export async function openOperation(
  installer: InstallerContext,
  options: OperationOptions,
): Promise<Result<WorkContext, InstallFailure>> {
  const { deps } = installer;
  const { onLog, onProgress, signal, toolchainDir = deps.folder.root } = options;
  if (!deps.folder.paths.isAbsolute(toolchainDir)) {
    return failInstall(
      "io",
      `Cannot use the toolchain folder ${JSON.stringify(toolchainDir)}: expected an absolute path`,
      "Name it from the root",
    );
  }
  const folder = folderAt(installer, toolchainDir);
  const mirrors = await readMirrors({ host: deps.host, folder });
  if (!mirrors.ok) return mirrors;
  return ok({
    ...deps,
    host: await hostOutside(deps),
    folder,
    ...mirrors.value,
    signal: signal ?? new AbortController().signal,
    progress: {
      log: (line) => onLog?.(line),
      progress: (step) => onProgress?.(step),
    },
    tool: (id) => deps.find(id, folder),
  });
}

/** Returns the recipes that install a tool, in their order: what it needs comes first. */
export async function recipesOf(
  installer: InstallerContext,
  id: ToolId,
  options: Pick<InstallOptions, "android">,
  context: WorkContext,
): Promise<Result<readonly Recipe[], InstallFailure>> {
  const { deps, key, pins } = installer;
  const known = packageOf(id);
  if (known === null || pinOf(known.id, key, pins) === null) {
    return notInstallable(id, deps.host);
  }
  const method = { android: options.android ?? "direct" } as const;
  const recipe = recipeFor(known.id, method);
  const withNode = recipe.needsNpm === true && await installsNode(installer, context);
  return ok(packagesWith(recipe, { withNode }).map((each) => recipeFor(each, method)));
}

/** Whether npm runs on the editor's own Node (INST-2): if the editor brings one, or no npm is found. */
async function installsNode(
  { deps, key, pins }: InstallerContext,
  context: WorkContext,
): Promise<boolean> {
  if (bringsNode(deps)) return true;
  if (pinOf("node", key, pins) === null) return false;
  return !(await context.tool("npm")).ok;
}

/** Describes an installation without making it. */
export async function planInstall(
  installer: InstallerContext,
  id: ToolId,
  options: InstallOptions,
): Promise<Result<InstallPlan, InstallFailure>> {
  const context = await openOperation(installer, options);
  if (!context.ok) return context;
  const plan = await recipesOf(installer, id, options, context.value);
  if (!plan.ok) return plan;
  const recipes = plan.value;
  const pinned = recipes.flatMap((recipe) => pinOf(recipe.id, installer.key, installer.pins) ?? []);
  const tools = recipes.flatMap(({ tools }) => tools);
  return ok({
    dryRun: true,
    id,
    folder: context.value.folder.root,
    packages: recipes.map((recipe) => ({ package: recipe.id, version: recipe.version })),
    bytes: pinned.reduce((sum, pin) => sum + downloadBytes(pin), 0),
    runs: [
      ...recipes.flatMap(({ runs = [] }) => runs),
      ...(tools.length > 0 ? [`${tools.join(", ")}: asked for the version once installed`] : []),
    ],
    licences: recipes.flatMap(({ licences }) => licences.map((each) => each.id)),
  });
}
