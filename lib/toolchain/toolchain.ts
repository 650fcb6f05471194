import { fail, type Failure, ok, type Result } from "../core/result.ts";
import { createSharing } from "../core/shared-work.ts";
import { hostOutside } from "../programs/mod.ts";
import { adbOf, adbVersion } from "./find/adb.ts";
import { withLauncher } from "./find/launcher.ts";
import { type DetectContext, detectTool } from "./find/detect.ts";
import { detectOverride } from "./find/override.ts";
import { toolchainDirectory } from "./find/places.ts";
import { allowsSystem, isPackaged, type PolicyFacts } from "./find/policy.ts";
import { explainDetection, fixFor, preflightOf, requiredTools, serves } from "./find/preflight.ts";
import { ProbeCache } from "./find/probe-cache.ts";
import { resolved } from "./find/resolve.ts";
import { type SdkManager, sdkManagerRun } from "./find/sdk-manager.ts";
import { statusOf, toolStatus } from "./find/status.ts";
import { withFound } from "./find/tool-environment.ts";
import { createInstaller } from "./install/installer.ts";
import type { InstallerDeps } from "./install/planning.ts";
import type { Installer } from "./install/operations.ts";
import { acceptedLicences } from "./installed/licences.ts";
import {
  readSettings,
  type SettingsReading,
  type SettingsWritten,
  writeSettings,
} from "./installed/settings.ts";
import { guideFor } from "./tools/guides.ts";
import { TOOL_IDS, type ToolId } from "./tools/ids.ts";
import { DESCRIPTORS } from "./tools/tools.ts";
import type {
  AdbStatus,
  BuildTarget,
  Detection,
  FoundTool,
  Guide,
  NamedFolder,
  Preflight,
  SdkOverrides,
  ToolchainStatus,
  ToolStatus,
} from "./tools/types.ts";
import { failInstall } from "./work/failure.ts";
import { ToolchainFolder } from "./work/folder.ts";
import type { ToolchainDeps } from "./work/ports.ts";

/** Options of a detection. */
export interface DetectOptions {
  /** Folders that the project names: `user.sdk` of its settings, `sdk.dir` of Gradle. */
  readonly overrides?:
    | Readonly<{ [Id in keyof SdkOverrides]?: string | NamedFolder }>
    | undefined;
  /**
   * The level of the Android platform that the project compiles with, such as 36.1; 36 when absent
   * (FIND-10). `unknown` if a program of the project decides it: then any platform counts.
   */
  readonly compileSdk?: number | "unknown" | undefined;
  /** The build tools that the project's build takes; any that suit its platform when absent. */
  readonly buildTools?: string | undefined;
  /**
   * Runs the JDK that `overrides` names, too, to see that it starts: for a build that its user started.
   * A project may come from anywhere, so looking runs nothing of it.
   */
  readonly runsOverrides?: boolean;
  /**
   * Asks programs in this folder, absolute: version managers answer by the folder (`.tool-versions`,
   * `.nvmrc`, `engines`). The project's, for a build that its user started; looking runs nothing there.
   */
  readonly runsIn?: string | undefined;
}

/** Options of the description of a tool. */
export interface DescribeOptions {
  /**
   * Targets of the project (those with steps in `build`), which decide which tools are needed; if absent,
   * all that this machine can build.
   */
  readonly targets?: readonly BuildTarget[] | undefined;
}

/** Options of a status or a preflight. */
export interface LookOptions extends DetectOptions {
  /** Ends this caller's wait. Programs are stopped once no caller waits for them. */
  readonly signal?: AbortSignal | undefined;
}

/** Finds and provides the tools that builds need. */
export interface Toolchain extends Installer {
  /** The toolchain folder, absolute; it may not exist yet. */
  readonly directory: string;
  /** Looks for a tool. Never throws. */
  detect(id: ToolId, options?: DetectOptions): Promise<Detection>;
  /** The tool. @throws {ToolAbsentError} when it is absent: the one documented throw. */
  resolve(id: ToolId, options?: DetectOptions): Promise<FoundTool>;
  /** A detection in the shape of the status (FIND-12). */
  describe(detection: Detection, options?: DescribeOptions): Promise<ToolStatus>;
  /** Human steps to have the tool found. */
  guide(id: ToolId): Guide;
  /** Whether a build can start. Concurrent callers with the same options share it. */
  preflight(target: BuildTarget, options?: LookOptions): Promise<Preflight>;
  /**
   * Everything, probed again and concurrently (FIND-13). Concurrent callers with the same options share
   * the probes.
   */
  status(options?: LookOptions & DescribeOptions): Promise<ToolchainStatus>;
  /** {@linkcode status}, by the name that the specification gives it. */
  toolchainStatus(options?: LookOptions & DescribeOptions): Promise<ToolchainStatus>;
  /** The Android debug bridge of the SDK; its version only where the project does not name the SDK. */
  detectAdb(options?: DetectOptions): Promise<AdbStatus & { readonly version?: string }>;
  /**
   * `env` with the tool's folder in front of PATH, and the variables that builds find it by
   * (`JAVA_HOME`, `ANDROID_HOME`). `tool-absent`, with what was tried.
   *
   * @param options.alone Leaves out the runtime of our own copy, which a launcher then has for itself.
   */
  withToolOnPath(
    id: ToolId,
    env: Readonly<Record<string, string>>,
    options?: DetectOptions & { readonly alone?: boolean },
  ): Promise<Result<Record<string, string>, Failure<"tool-absent">>>;
  /**
   * How the package manager of the Android SDK is run with these words, on the JDK of builds. `tool-absent`
   * without one.
   */
  sdkManager(
    words: readonly string[],
    options?: DetectOptions,
  ): Promise<Result<SdkManager, Failure<"tool-absent">>>;
  /** Times that this object may have added or removed tools: an earlier detection may be outdated. */
  changes(): number;
  /** Whether tools of the system may be used. */
  systemToolchainAllowed(): Promise<boolean>;
  /** Reads settings.json, and its problems. */
  settings(): Promise<SettingsReading>;
  /** Saves the toggle 'use system-installed tools'. `settings-unwritable`, with what the disk said. */
  setAllowSystem(on: boolean): Promise<Result<SettingsWritten, Failure<"settings-unwritable">>>;
}

/**
 * The toolchain of this machine and user.
 *
 * @example What a build for Android lacks here.
 * ```ts
 * import { createToolchain } from "slipway/toolchain";
 * import { createRuntime } from "slipway/node";
 *
 * export async function lacking(): Promise<readonly string[]> {
 *   const { missing } = await createToolchain(createRuntime()).preflight("android");
 *   return missing.map(({ id, reason, fix }) => `${id}: ${reason}. ${fix}`);
 * }
 * ```
 *
 * @throws {RangeError} when SVC_TOOLCHAIN_DIR is set to what is not an absolute path: everything found
 * or installed would depend on where the process was started.
 */
export function createToolchain(deps: ToolchainDeps): Toolchain {
  const { host } = deps;
  const directory = toolchainDirectory(deps);
  const cache = new ProbeCache(deps);
  const folder = new ToolchainFolder(directory, deps.files, host.platform);
  const place = { ...deps, toolchainDir: directory };
  const shareStatus = createSharing<ToolchainStatus>();
  const sharePreflight = createSharing<Preflight>();
  let changes = 0;

  async function policy(): Promise<PolicyFacts> {
    const { allowSystemToolchain } = await readSettings(folder);
    return {
      packaged: isPackaged(deps),
      allowSystem: allowsSystem(allowSystemToolchain, deps),
    };
  }

  async function detectContext(where = folder): Promise<DetectContext> {
    const host = await hostOutside(deps);
    return { ...deps, host, folder: where, cache, facts: await policy() };
  }

  const installer = createInstaller({
    ...deps,
    folder,
    changed() {
      changes++;
      cache.clear();
    },
    find: async (id, where) => findForInstall(id, await detectContext(where), place),
  });

  /** Returns the same key for detections that must agree; a change gives new ones, so that no caller gets stale facts. */
  function keyOf(facts: PolicyFacts, ...asked: readonly (object | undefined)[]): string {
    return JSON.stringify([changes, facts, ...asked]);
  }

  async function detect(id: ToolId, options?: DetectOptions): Promise<Detection> {
    return await detectWith(id, await detectContext(), options);
  }

  async function status(
    { targets, signal, ...options }: LookOptions & DescribeOptions = {},
  ): Promise<ToolchainStatus> {
    const context = await detectContext();
    return await shareStatus(keyOf(context.facts, options, targets), async (ending) => {
      cache.clear();
      const accepted = await acceptedLicences(folder);
      const found = await detectAll(TOOL_IDS, { ...context, signal: ending }, options);
      const adb = adbOf(found.get("android-sdk"), deps);
      const around = { ...place, compileSdk: options.compileSdk };
      return statusOf(found, adb, { ...around, targets, accepted, facts: context.facts });
    }, signal);
  }

  return {
    ...installer,
    directory,
    detect,
    async describe(detection, { targets } = {}) {
      return toolStatus(detection, {
        ...place,
        targets,
        accepted: await acceptedLicences(folder),
      });
    },
    guide: (id) =>
      guideFor(id, { platform: host.platform, arch: host.arch, toolchainDir: directory }),
    async resolve(id, options) {
      const detection = await detect(id, options);
      return resolved(detection, (absent) => fixFor(absent, place));
    },
    async preflight(target, { signal, ...options } = {}) {
      const context = await detectContext();
      const key = `${target} ${keyOf(context.facts, options)}`;
      return await sharePreflight(key, async (ending) => {
        const looking = { ...context, signal: ending };
        const found = await detectAll(requiredTools(target), looking, options);
        const { compileSdk } = options;
        return preflightOf(target, found, { ...place, compileSdk });
      }, signal);
    },
    status,
    toolchainStatus: status,
    async detectAdb(options) {
      const context = await detectContext();
      const sdk = await detectWith("android-sdk", context, options);
      return await withVersion(adbOf(sdk, deps), sdk, context);
    },
    async withToolOnPath(id, env, { alone = false, ...options } = {}) {
      const detection = await detect(id, options);
      if (!serves(detection)) {
        const message = `Cannot put ${id} on PATH: ${explainDetection(detection)}`;
        return fail("tool-absent", message, fixFor(detection, place));
      }
      const context = { ...deps, folder };
      return alone
        ? await withLauncher(detection, env, context)
        : ok(await withFound(detection, env, context));
    },
    async sdkManager(words, options) {
      const context = await detectContext();
      const [sdk, java] = await Promise.all([
        detectWith("android-sdk", context, options),
        detectWith("java", context, options),
      ]);
      return await sdkManagerRun(words, { sdk, java }, { ...context, ...place });
    },
    changes: () => changes,
    async systemToolchainAllowed() {
      return (await policy()).allowSystem;
    },
    settings: () => readSettings(folder),
    setAllowSystem: (on) => writeSettings(on, folder),
  };
}

/** Finds a tool for an installation, with the environment that it runs in. */
async function findForInstall(
  id: ToolId,
  context: DetectContext,
  place: Parameters<typeof fixFor>[1],
): ReturnType<InstallerDeps["find"]> {
  const tool = await detectTool(DESCRIPTORS[id], context);
  if (tool.present) {
    return ok({ tool, env: await withFound(tool, context.host.environment(), context) });
  }
  return failInstall("process", `Cannot find ${id}: ${tool.reason}`, fixFor(tool, place));
}

/** Adds the version, except of an SDK that a project names: see `detectOverride`. */
async function withVersion(
  adb: AdbStatus,
  sdk: Detection,
  context: DetectContext,
): Promise<AdbStatus & { readonly version?: string }> {
  const isNamed = sdk.present && sdk.source === "override";
  if (adb.path === undefined || isNamed) return adb;
  return { ...adb, ...await adbVersion(adb.path, context) };
}

async function detectAll(
  ids: readonly ToolId[],
  context: DetectContext,
  options: DetectOptions | undefined,
): Promise<Map<ToolId, Detection>> {
  const found = await Promise.all(ids.map((id) => detectWith(id, context, options)));
  return new Map(found.map((detection) => [detection.id, detection]));
}

async function detectWith(
  id: ToolId,
  context: DetectContext,
  options: DetectOptions | undefined,
): Promise<Detection> {
  const descriptor = DESCRIPTORS[id];
  const { compileSdk, buildTools, runsIn: cwd } = options ?? {};
  const looking = { ...context, compileSdk, buildTools, cwd };
  const override = id === "java" || id === "android-sdk" ? options?.overrides?.[id] : undefined;
  return override !== undefined && descriptor.kind === "directory"
    ? await detectOverride(
      { folder: override, runs: options?.runsOverrides === true },
      descriptor,
      looking,
    )
    : await detectTool(descriptor, looking);
}
