import { fail, ok, type Result } from "../../core/result.ts";
import { hostOutside } from "../../programs/mod.ts";
import { packagesFor, pinnedFiles } from "../bundle/contents.ts";
import { exportBundle } from "../bundle/export.ts";
import { importBundle } from "../bundle/import.ts";
import { licenceText } from "../download/licence-texts.ts";
import { readMirrors } from "../download/mirror-settings.ts";
import { bringsNode } from "../find/policy.ts";
import { acceptedLicences } from "../installed/licences.ts";
import { readReceipt } from "../installed/receipt.ts";
import { verifyPackage, withNeeded } from "../installed/verify.ts";
import { downloadBytes, PLATFORM_KEYS, platformKey } from "../pins/pins.ts";
import { ANDROID_SDKMANAGER_RECIPE } from "../recipes/android-sdkmanager.ts";
import type { BuildContext, Recipe, WorkContext } from "../recipes/recipe.ts";
import { recipeFor } from "../recipes/recipes.ts";
import { findOwn } from "../recipes/smoke.ts";
import type { ToolId } from "../tools/ids.ts";
import { shown } from "../tools/licences.ts";
import type { ToolPackage } from "../tools/package.ts";
import {
  formerPackageOf,
  licencesOf,
  packageOf,
  PACKAGES,
  packagesWith,
  pinOf,
  PINS,
} from "../tools/tools.ts";
import { failInstall, type InstallFailure } from "../work/failure.ts";
import { ToolchainFolder } from "../work/folder.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import { cleanToolchain } from "./clean.ts";
import { type Installed, installPackage, notInstallable } from "./install.ts";
import type {
  InstalledTool,
  Installer,
  InstallOptions,
  InstallPlan,
  OperationOptions,
} from "./operations.ts";
import { uninstallPackage } from "./uninstall.ts";
import { checkPins } from "./verify-pins.ts";

/** Dependencies of the installer. */
export interface InstallerDeps extends ToolchainDeps {
  readonly folder: ToolchainFolder;
  /** Finds a tool as the editor does, with the environment that it runs in. */
  readonly find: (id: ToolId, folder: ToolchainFolder) => ReturnType<BuildContext["tool"]>;
  /** Called when tools may have been added or removed. */
  readonly changed: () => void;
}

/** Builds the installer of a toolchain. */
export function createInstaller(deps: InstallerDeps): Installer {
  const { host, pins = PINS } = deps;
  const key = platformKey(host);

  /** Another toolchain folder than the own one, or that. */
  function folderAt(root: string = deps.folder.root): ToolchainFolder {
    return new ToolchainFolder(root, deps.files, host.platform);
  }

  async function contextOf(
    { onLog, onProgress, signal, toolchainDir = deps.folder.root }: OperationOptions,
  ): Promise<Result<WorkContext, InstallFailure>> {
    if (!deps.folder.paths.isAbsolute(toolchainDir)) {
      return failInstall(
        "io",
        `Cannot use the toolchain folder ${
          JSON.stringify(toolchainDir)
        }: expected an absolute path`,
        "Name it from the root",
      );
    }
    const folder = folderAt(toolchainDir);
    const mirrors = await readMirrors({ host, folder });
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

  /** Whether the editor's own Node is what npm runs on (INST-2): also where nothing else is there. */
  async function installsNode(context: WorkContext): Promise<boolean> {
    if (bringsNode(deps)) return true;
    if (pinOf("node", key, pins) === null) return false;
    return !(await context.tool("npm")).ok;
  }

  /** @param how `repair` compares every byte of what is there before it counts as intact. */
  async function provide(
    id: ToolId,
    options: InstallOptions,
    how: "install" | "reinstall" | "repair",
  ): Promise<Result<InstalledTool, InstallFailure>> {
    const context = await contextOf(options);
    if (!context.ok) return context;
    const { folder } = context.value;
    const plan = await planOf(id, options, context.value);
    if (!plan.ok) return plan;
    if (options.acceptLicences === false) {
      const refused = await missingLicence(plan.value, folder);
      if (refused !== null) return refused;
    }
    const packages: Installed[] = [];
    for (const [i, recipe] of plan.value.entries()) {
      const pin = pinOf(recipe.id, key, pins);
      if (pin === null) return notInstallable(id, host);
      const isLast = i === plan.value.length - 1;
      const installed = await installPackage(recipe, {
        ...context.value,
        pin,
        reinstall: isLast && how === "reinstall",
        deep: isLast && how === "repair",
      });
      deps.changed();
      if (!installed.ok) return installed;
      await removeFormer(recipe, context.value);
      packages.push(installed.value);
    }
    const found = await findOwn(id, folder, { ...deps, folder });
    if (found.ok) return ok({ id, tool: found.value, packages });
    // Files whose sizes matched may have other bytes.
    return how === "install" ? await provide(id, options, "repair") : found;
  }

  /** Removes what earlier versions installed in other packages; what a user added to it stays. */
  async function removeFormer({ replaces = [] }: ToolPackage, context: WorkContext): Promise<void> {
    for (const id of replaces) {
      if (await readReceipt(id, context.folder) === null) continue;
      const removed = await uninstallPackage(PACKAGES[id], { ...context, force: false });
      deps.changed();
      if (!removed.ok) context.progress.log(`${removed.error.message}: it stays`);
    }
  }

  /** The recipe of the package that has the tool in place: one of an earlier version may still. */
  async function placedRecipe(id: ToolId, folder: ToolchainFolder): Promise<ToolPackage | null> {
    const former = formerPackageOf(id);
    const isPlaced = former !== null && await readReceipt(former.id, folder) !== null;
    return isPlaced ? former : packageOf(id);
  }

  async function planOf(
    id: ToolId,
    options: Pick<InstallOptions, "android">,
    context: WorkContext,
  ): Promise<Result<readonly Recipe[], InstallFailure>> {
    const known = packageOf(id);
    if (known === null || pinOf(known.id, key, pins) === null) {
      return notInstallable(id, host);
    }
    const method = { android: options.android ?? "direct" } as const;
    const recipe = recipeFor(known.id, method);
    const withNode = recipe.needsNpm === true && await installsNode(context);
    return ok(packagesWith(recipe, { withNode }).map((each) => recipeFor(each, method)));
  }

  async function planInstall(
    id: ToolId,
    options: InstallOptions = {},
  ): Promise<Result<InstallPlan, InstallFailure>> {
    const context = await contextOf(options);
    if (!context.ok) return context;
    const plan = await planOf(id, options, context.value);
    if (!plan.ok) return plan;
    const recipes = plan.value;
    const pinned = recipes.flatMap((recipe) => pinOf(recipe.id, key, pins) ?? []);
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

  return {
    install: (id, options = {}) =>
      provide(id, options, options.reinstall === true ? "reinstall" : "install"),
    planInstall,
    async uninstall(id, options = {}) {
      const recipe = await placedRecipe(id, folderAt(options.toolchainDir));
      if (recipe === null) return notInstallable(id, host, "remove");
      const context = await contextOf(options);
      if (!context.ok) return context;
      const removed = await uninstallPackage(recipe, {
        ...context.value,
        force: options.force === true,
      });
      deps.changed();
      return removed;
    },
    async verify(id, options = {}) {
      const recipe = await placedRecipe(id, deps.folder);
      if (recipe === null) return notInstallable(id, host, "verify");
      const context = { ...deps, deep: options.deep === true };
      const needed = [];
      for (const before of recipe.before ?? []) {
        needed.push(await verifyPackage(PACKAGES[before], context));
      }
      return ok(withNeeded(await verifyPackage(recipe, context), needed));
    },
    async repair(id, options = {}) {
      const recipe = packageOf(id);
      if (recipe === null) return notInstallable(id, host, "repair");
      // By the method that it was installed by.
      const there = await readReceipt(recipe.id, folderAt(options.toolchainDir));
      const android = there?.version === ANDROID_SDKMANAGER_RECIPE.version
        ? "sdkmanager"
        : "direct";
      return await provide(id, { ...options, android }, "repair");
    },
    async licences(id, options = {}) {
      const context = await contextOf(options);
      const plan = context.ok ? await planOf(id, options, context.value) : context;
      const known = plan.ok ? plan.value.flatMap(({ licences }) => licences) : licencesOf(id);
      const licences = shown(known, await acceptedLicences(deps.folder), host);
      if (options.fetchText !== true) return { id, licences };
      const texts = await Promise.all(
        known.map((licence) =>
          context.ok
            ? licenceText(licence, context.value)
            : Promise.resolve({ problem: context.error.message })
        ),
      );
      return { id, licences: licences.map((licence, i) => ({ ...licence, ...texts[i] })) };
    },
    async exportBundle(to, options = {}) {
      const context = await contextOf(options);
      if (!context.ok) return context;
      const platform = options.platform ?? key;
      if (platform === null) {
        return failInstall(
          "not-installable",
          `Cannot export a bundle: nothing is pinned for ${host.platform}-${host.arch}`,
          `Name the platform that it is for: ${PLATFORM_KEYS.join(", ")}`,
        );
      }
      const packages = packagesFor(options.tools, { key: platform, pins, cli: host.cli });
      if (!packages.ok) return packages;
      const known = pinnedFiles(pins, { key: platform, packages: packages.value });
      return await exportBundle(to, platform, { ...context.value, known });
    },
    async importBundle(from, options = {}) {
      const context = await contextOf(options);
      if (!context.ok) return context;
      return await importBundle(from, { ...context.value, known: pinnedFiles(pins) });
    },
    async clean(options = {}) {
      const context = await contextOf(options);
      if (!context.ok) return context;
      const dryRun = options.dryRun === true;
      const cleaned = await cleanToolchain({ ...context.value, known: pinnedFiles(pins), dryRun });
      deps.changed();
      return cleaned;
    },
    async verifyPins(options = {}) {
      const context = await contextOf(options);
      if (!context.ok) return context;
      const known = pinnedFiles(pins);
      if (known.length === 0) return fail("no-pins", "There are no pins to check");
      return ok(await checkPins(known, context.value));
    },
  };
}

async function missingLicence(
  recipes: readonly Recipe[],
  folder: ToolchainFolder,
): Promise<Result<never, InstallFailure> | null> {
  const accepted = await acceptedLicences(folder);
  const missing = recipes.flatMap(({ licences }) => licences)
    .find(({ id, hash }) => !accepted.some((each) => each.id === id && each.hash === hash));
  if (missing === undefined) return null;
  return failInstall(
    "licence",
    `Cannot install: the terms of ${missing.title} (${missing.id}) are not accepted`,
    `Read them at ${missing.url}, then accept them by installing`,
  );
}
