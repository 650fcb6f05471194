import { fail, type Failure, ok, type Result } from "../../core/result.ts";
import { DESCRIPTORS } from "../descriptors.ts";
import { isAbsolutePath } from "../host-paths.ts";
import {
  type Artifact,
  PACKAGE_IDS,
  type PackageId,
  pinOf,
  PINS,
  type PlatformKey,
  platformKey,
} from "../pins.ts";
import { isPackaged, isSwitchedOn } from "../policy.ts";
import type { ToolchainDeps } from "../ports.ts";
import type { FoundTool, ToolId } from "../types.ts";
import type { ArtifactContext } from "./artifacts.ts";
import { failInstall, type InstallFailure } from "./failure.ts";
import { type Installed, installPackage, notInstallable } from "./install.ts";
import { type AcceptedLicence, acceptedLicences, type Licence, licencesOf } from "./licences.ts";
import { readMirrors } from "./mirror-settings.ts";
import { type BundleReport, exportFolder, importFrom, pinnedArtifacts } from "./offline.ts";
import type { InstallProgress } from "./progress.ts";
import type { BuildContext, Recipe } from "./recipe.ts";
import { type AndroidMethod, recipeFor, RECIPES } from "./recipes/recipes.ts";
import { findOwn } from "./smoke.ts";
import { type Uninstalled, uninstallPackage } from "./uninstall.ts";
import { type Verified, verifyPackage } from "./verify.ts";
import { checkPins, type PinCheck } from "./verify-pins.ts";

/** What every operation takes. */
export interface OperationOptions {
  /** One line for people. */
  readonly onLog?: (line: string) => void;
  /** How far the step is. */
  readonly onProgress?: InstallProgress["progress"];
  /** Ends it; what was there before stays. */
  readonly signal?: AbortSignal;
  /** Another toolchain folder than this toolchain's own; absolute. */
  readonly toolchainDir?: string;
}

/** How to install. */
export interface InstallOptions extends OperationOptions {
  /** False refuses with `licence` when terms are not accepted yet; installing accepts them else. */
  readonly acceptLicences?: boolean;
  /** Installs even what is there and whole. */
  readonly anew?: boolean;
  /** How the Android SDK is installed; from pinned archives when absent. */
  readonly android?: AndroidMethod;
}

/** A tool that was installed and is found. */
export interface InstalledTool {
  readonly id: ToolId;
  readonly tool: FoundTool;
  /** What is in place now, in the order of installation. */
  readonly packages: readonly Installed[];
}

/** The terms of a tool, and whether they were accepted. */
export interface ToolLicences {
  readonly id: ToolId;
  readonly licences: readonly (Licence & { readonly accepted?: AcceptedLicence })[];
}

/** What the installer asks of the toolchain around it. */
export interface InstallerDeps extends ToolchainDeps {
  readonly toolchainDir: string;
  /** Finds a tool as the editor does, with the environment that it runs in. */
  readonly find: (id: ToolId, toolchainDir: string) => ReturnType<BuildContext["tool"]>;
  /** Called when tools may have come or gone. */
  readonly changed: () => void;
}

/** Provides the tools that the editor can (spec §4.8). */
export interface Installer {
  install(id: ToolId, options?: InstallOptions): Promise<Result<InstalledTool, InstallFailure>>;
  uninstall(id: ToolId, options?: OperationOptions): Promise<Result<Uninstalled, InstallFailure>>;
  verify(
    id: ToolId,
    options?: { readonly deep?: boolean },
  ): Promise<Result<Verified, InstallFailure>>;
  repair(id: ToolId, options?: OperationOptions): Promise<Result<InstalledTool, InstallFailure>>;
  licences(id: ToolId): Promise<ToolLicences>;
  exportBundle(
    to: string,
    options?: OperationOptions & { readonly platform?: PlatformKey },
  ): Promise<Result<BundleReport, InstallFailure>>;
  importBundle(
    from: string,
    options?: OperationOptions,
  ): Promise<Result<BundleReport, InstallFailure>>;
  verifyPins(options?: OperationOptions): Promise<Result<readonly PinCheck[], Failure>>;
}

/** Builds the installer of a toolchain. */
export function createInstaller(deps: InstallerDeps): Installer {
  const { host, pins = PINS } = deps;
  const key = platformKey(host);

  async function contextOf(
    { onLog, onProgress, signal, toolchainDir = deps.toolchainDir }: OperationOptions,
  ): Promise<Result<ArtifactContext, InstallFailure>> {
    if (!isAbsolutePath(toolchainDir, host.platform)) {
      return failInstall(
        "io",
        `Cannot use the toolchain folder ${
          JSON.stringify(toolchainDir)
        }: expected an absolute path`,
        "Name it from the root",
      );
    }
    const mirrors = await readMirrors({ ...deps, toolchainDir });
    if (!mirrors.ok) return mirrors;
    return ok({
      ...deps,
      toolchainDir,
      mirrors: mirrors.value,
      signal: signal ?? new AbortController().signal,
      progress: {
        log: (line) => onLog?.(line),
        progress: (step) => onProgress?.(step),
      },
      tool: (id) => deps.find(id, toolchainDir),
    });
  }

  /** Whether the editor's own Node is what npm runs on (spec §4.8), or nothing else is there. */
  async function providesNode(context: ArtifactContext): Promise<boolean> {
    if (isPackaged(deps) || isSwitchedOn("SVC_PROVISION_NODE", deps)) return true;
    if (pinOf("node", key, pins) === null) return false;
    return !(await context.tool("npm")).ok;
  }

  async function install(
    id: ToolId,
    options: InstallOptions = {},
  ): Promise<Result<InstalledTool, InstallFailure>> {
    const context = await contextOf(options);
    if (!context.ok) return context;
    const { toolchainDir } = context.value;
    const plan = await planOf(id, options, context.value);
    if (!plan.ok) return plan;
    if (options.acceptLicences === false) {
      const refused = await missingLicence(plan.value, { ...deps, toolchainDir });
      if (refused !== null) return refused;
    }
    const packages: Installed[] = [];
    for (const [i, recipe] of plan.value.entries()) {
      const pin = pinOf(recipe.id, key, pins);
      if (pin === null) return notInstallable(id, `${host.platform}-${host.arch}`);
      const anew = options.anew === true && i === plan.value.length - 1;
      const installed = await installPackage(recipe, { ...context.value, pin, anew });
      deps.changed();
      if (!installed.ok) return installed;
      packages.push(installed.value);
    }
    const found = await findOwn(id, { ...deps, root: toolchainDir, toolchainDir });
    return found.ok ? ok({ id, tool: found.value, packages }) : found;
  }

  async function planOf(
    id: ToolId,
    options: InstallOptions,
    context: ArtifactContext,
  ): Promise<Result<readonly Recipe[], InstallFailure>> {
    const last = packageOf(id);
    if (last === null || pinOf(last, key, pins) === null) {
      return notInstallable(id, `${host.platform}-${host.arch}`);
    }
    const method = { android: options.android ?? "direct" } as const;
    const recipe = recipeFor(last, method);
    const node = recipe.needsNpm && await providesNode(context) ? ["node" as const] : [];
    return ok([...node, ...recipe.before, last].map((each) => recipeFor(each, method)));
  }

  return {
    install,
    async uninstall(id, options = {}) {
      const recipe = recipeOf(id);
      if (recipe === null) return notInstallable(id, `${host.platform}-${host.arch}`);
      const context = await contextOf(options);
      if (!context.ok) return context;
      const removed = await uninstallPackage(recipe, context.value);
      deps.changed();
      return removed;
    },
    async verify(id, options = {}) {
      const recipe = recipeOf(id);
      if (recipe === null) return notInstallable(id, `${host.platform}-${host.arch}`);
      return ok(await verifyPackage(recipe.id, { ...deps, deep: options.deep === true }));
    },
    async repair(id, options = {}) {
      const recipe = recipeOf(id);
      if (recipe === null) return notInstallable(id, `${host.platform}-${host.arch}`);
      const toolchainDir = options.toolchainDir ?? deps.toolchainDir;
      const { whole } = await verifyPackage(recipe.id, { ...deps, toolchainDir, deep: true });
      return await install(id, { ...options, anew: !whole });
    },
    async licences(id) {
      const recipe = recipeOf(id);
      if (recipe === null) return { id, licences: [] };
      const accepted = await acceptedLicences(deps);
      return {
        id,
        licences: licencesOf(recipe.licences).map((licence) => {
          const known = accepted.find((each) =>
            each.id === licence.id && each.hash === licence.hash
          );
          return known === undefined ? licence : { ...licence, accepted: known };
        }),
      };
    },
    async exportBundle(to, options = {}) {
      const context = await contextOf(options);
      if (!context.ok) return context;
      const platform = options.platform ?? key;
      if (platform === null) return notInstallable("a bundle", `${host.platform}-${host.arch}`);
      const artifacts = pinnedArtifacts(pins, platform);
      return await exportFolder(to, { ...context.value, artifacts });
    },
    async importBundle(from, options = {}) {
      const context = await contextOf(options);
      if (!context.ok) return context;
      return await importFrom(from, { ...context.value, artifacts: pinnedArtifacts(pins) });
    },
    async verifyPins(options = {}) {
      const context = await contextOf(options);
      if (!context.ok) return context;
      const artifacts: readonly Artifact[] = pinnedArtifacts(pins);
      if (artifacts.length === 0) return fail("no-pins", "There are no pins to check");
      return ok(await checkPins(artifacts, context.value));
    },
  };
}

function packageOf(id: ToolId): PackageId | null {
  const { provision } = DESCRIPTORS[id];
  return provision.kind === "install"
    ? PACKAGE_IDS.find((known) => known === provision.package) ?? null
    : null;
}

function recipeOf(id: ToolId): Recipe | null {
  const known = packageOf(id);
  return known === null ? null : RECIPES[known];
}

async function missingLicence(
  recipes: readonly Recipe[],
  context: Pick<ToolchainDeps, "files" | "host" | "clock"> & { readonly toolchainDir: string },
): Promise<Result<never, InstallFailure> | null> {
  const accepted = await acceptedLicences(context);
  const missing = licencesOf(recipes.flatMap(({ licences }) => licences))
    .find(({ id, hash }) => !accepted.some((each) => each.id === id && each.hash === hash));
  if (missing === undefined) return null;
  return failInstall(
    "licence",
    `Cannot install: the terms of ${missing.title} (${missing.id}) are not accepted`,
    `Read them at ${missing.url}, then accept them by installing`,
  );
}
