import { fail, ok, type Result } from "../../core/result.ts";
import { packagesFor, pinnedFiles } from "../bundle/contents.ts";
import { exportBundle } from "../bundle/export.ts";
import { importBundle } from "../bundle/import.ts";
import { type LicenceText, licenceText } from "../download/licence-texts.ts";
import { acceptedLicences } from "../installed/licences.ts";
import { readReceipt } from "../installed/receipt.ts";
import { verifyPackage, withNeeded } from "../installed/verify.ts";
import { PLATFORM_KEYS, platformKey } from "../pins/pins.ts";
import { ANDROID_SDKMANAGER_RECIPE } from "../recipes/android-sdkmanager.ts";
import type { Recipe } from "../recipes/recipe.ts";
import { findOwn } from "../recipes/smoke.ts";
import type { ToolId } from "../tools/ids.ts";
import { shown, type ShownLicence } from "../tools/licences.ts";
import { licencesOf, packageOf, PACKAGES, pinOf, PINS } from "../tools/tools.ts";
import { failInstall, type InstallFailure } from "../work/failure.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import { cleanToolchain } from "./clean.ts";
import { type Installed, installPackage, notInstallable } from "./install.ts";
import type { InstalledTool, Installer, InstallOptions } from "./operations.ts";
import {
  folderAt,
  type InstallerContext,
  type InstallerDeps,
  openOperation,
  planInstall,
  recipesOf,
} from "./planning.ts";
import { uninstallPackage } from "./uninstall.ts";
import { checkPins } from "./verify-pins.ts";

/** Builds the installer of a toolchain. */
export function createInstaller(deps: InstallerDeps): Installer {
  const { host, pins = PINS } = deps;
  const own: InstallerContext = { deps, pins, key: platformKey(host) };
  return {
    install: (id, options = {}) =>
      provide(own, id, options, options.reinstall === true ? "reinstall" : "install"),
    planInstall: (id, options = {}) => planInstall(own, id, options),
    async uninstall(id, options = {}) {
      const recipe = packageOf(id);
      if (recipe === null) return notInstallable(id, host, "remove");
      const context = await openOperation(own, options);
      if (!context.ok) return context;
      const force = options.force === true;
      const removed = await uninstallPackage(recipe, { ...context.value, force });
      deps.changed();
      return removed;
    },
    async verify(id, options = {}) {
      const recipe = packageOf(id);
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
      const there = await readReceipt(recipe.id, folderAt(own, options.toolchainDir));
      const isByManager = there?.version === ANDROID_SDKMANAGER_RECIPE.version;
      const android = isByManager ? "sdkmanager" : "direct";
      return await provide(own, id, { ...options, android }, "repair");
    },
    licences: (id, options = {}) => listLicences(own, id, options),
    exportBundle: (to, options = {}) => exportTo(own, to, options),
    async importBundle(from, options = {}) {
      const context = await openOperation(own, options);
      if (!context.ok) return context;
      return await importBundle(from, { ...context.value, known: pinnedFiles(pins) });
    },
    async clean(options = {}) {
      const context = await openOperation(own, options);
      if (!context.ok) return context;
      const dryRun = options.dryRun === true;
      const cleaned = await cleanToolchain({ ...context.value, known: pinnedFiles(pins), dryRun });
      deps.changed();
      return cleaned;
    },
    async verifyPins(options = {}) {
      const context = await openOperation(own, options);
      if (!context.ok) return context;
      const known = pinnedFiles(pins);
      if (known.length === 0) return fail("no-pins", "There are no pins to check");
      return ok(await checkPins(known, context.value));
    },
  };
}

/** @param how `repair` compares every byte of what is there before it counts as intact. */
async function provide(
  own: InstallerContext,
  id: ToolId,
  options: InstallOptions,
  how: "install" | "reinstall" | "repair",
): Promise<Result<InstalledTool, InstallFailure>> {
  const { deps } = own;
  const context = await openOperation(own, options);
  if (!context.ok) return context;
  const { folder } = context.value;
  const plan = await recipesOf(own, id, options, context.value);
  if (!plan.ok) return plan;
  if (options.acceptLicences === false) {
    const refused = await missingLicence(plan.value, folder);
    if (refused !== null) return refused;
  }
  const packages: Installed[] = [];
  for (const [i, recipe] of plan.value.entries()) {
    const pin = pinOf(recipe.id, own.key, own.pins);
    if (pin === null) return notInstallable(id, deps.host);
    const isLast = i === plan.value.length - 1;
    const installed = await installPackage(recipe, {
      ...context.value,
      pin,
      reinstall: isLast && how === "reinstall",
      deep: isLast && how === "repair",
    });
    deps.changed();
    if (!installed.ok) return installed;
    packages.push(installed.value);
  }
  const found = await findOwn(id, folder, { ...deps, folder });
  if (found.ok) return ok({ id, tool: found.value, packages });
  // Files whose sizes matched may have other bytes.
  return how === "install" ? await provide(own, id, options, "repair") : found;
}

async function listLicences(
  own: InstallerContext,
  ...[id, options = {}]: Parameters<Installer["licences"]>
): ReturnType<Installer["licences"]> {
  const { deps } = own;
  const context = await openOperation(own, options);
  const plan = context.ok ? await recipesOf(own, id, options, context.value) : context;
  const known = plan.ok ? plan.value.flatMap(({ licences }) => licences) : licencesOf(id);
  const licences = shown(known, await acceptedLicences(deps.folder), deps.host);
  if (options.fetchText !== true) return { id, licences };
  const texts = await Promise.all(
    known.map((licence) =>
      context.ok
        ? licenceText(licence, context.value)
        : Promise.resolve({ problem: context.error.message })
    ),
  );
  return { id, licences: licences.map((licence, i) => withText(licence, texts[i])) };
}

function withText(licence: ShownLicence, read: LicenceText | undefined): ShownLicence {
  if (read === undefined) return licence;
  return "problem" in read ? { ...licence, problem: read.problem } : {
    ...licence,
    text: read.text,
    whole: read.complete,
  };
}

async function exportTo(
  own: InstallerContext,
  ...[to, options = {}]: Parameters<Installer["exportBundle"]>
): ReturnType<Installer["exportBundle"]> {
  const { deps: { host }, key, pins } = own;
  const context = await openOperation(own, options);
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
