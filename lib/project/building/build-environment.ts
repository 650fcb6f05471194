import type { JobContext } from "../../core/jobs.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { allowedSecrets, BUILD_ENV, withoutSecrets } from "../../core/secrets.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Host } from "../../ports/host.ts";
import {
  bringsNode,
  type BuildTarget,
  type DetectOptions,
  type Toolchain,
} from "../../toolchain/mod.ts";
import { withoutStartersPrograms } from "../../programs/mod.ts";
import { installTool } from "../jobs/tool-install.ts";
import { withGradleProxy } from "./gradle-proxy.ts";

/** The part of a toolchain that builds use. */
export type BuildTools = Pick<
  Toolchain,
  "detect" | "install" | "systemToolchainAllowed" | "withToolOnPath"
>;

/** Dependencies of a build's environment. */
export interface EnvironmentDependencies {
  /** This process's environment. */
  readonly host: Host;
  /** Finds the tools, and installs the runtime if the editor provides it. */
  readonly toolchain: BuildTools;
  /** Paces progress. */
  readonly clock: Pick<Clock, "monotonic">;
}

/** Variables that only the shared detection may set for an Android build (BUILD-3). */
const DETECTED = /^(?:JAVA_HOME|ANDROID_HOME|ANDROID_SDK_ROOT)$/i;

/**
 * The environment of every build step: this process's without secrets and without the programs of a
 * package elsewhere that started it, with the detected npm's own runtime in front of PATH. Where
 * there is none and the editor brings Node, that is installed first (BUILD-4): a system
 * copy that bundled-only mode refuses must not run a step, and that mode names no JDK and no SDK of
 * the system either. In development without npm PATH is as it was: what a command needs is then
 * looked up there, or missed by name.
 *
 * @param root The project's folder.
 * @returns What installing Node refuses.
 */
export async function buildEnvironment(
  dependencies: EnvironmentDependencies,
  context: JobContext,
  root: string,
): Promise<Result<Record<string, string>, Problem>> {
  const { toolchain } = dependencies;
  const { env, found } = await withNode(dependencies, context, { root, runsIn: root });
  if (found.ok) return found;
  if (!bringsNode(dependencies)) return ok(env);
  context.log("build: Node is missing: installing it first");
  const installed = await installTool(dependencies, "npm", { context });
  if (!installed.ok) return installed;
  const added = await toolchain.withToolOnPath("npm", env, { runsIn: root });
  return added.ok ? added : refuse(
    422,
    "toolchain-unresolved",
    `Cannot build: ${added.error.message}`,
    `Open Build Support: ${added.error.next ?? "install npm there"}`,
  );
}

/**
 * Returns the environment of build steps as it is now: that of {@linkcode buildEnvironment}, without
 * installing anything.
 */
export async function presentEnvironment(
  dependencies: NodeEnvironmentDependencies,
  where: NodeFolders,
): Promise<PresentEnvironment> {
  const { env, found } = await withNode(dependencies, { log: () => undefined }, where);
  return found.ok ? { env: found.value, hasNpm: true } : { env, hasNpm: false };
}

/** The environment of build steps before anything is installed. */
export interface PresentEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** Whether npm was found, and so a Node that commands of the build may run on (BUILD-4). */
  readonly hasNpm: boolean;
}

/** The dependencies of {@linkcode presentEnvironment}. */
export interface NodeEnvironmentDependencies {
  readonly host: Host;
  readonly toolchain: Pick<Toolchain, "systemToolchainAllowed" | "withToolOnPath">;
}

interface NodeFolders {
  /** The project's folder. */
  readonly root: string;
  /** Folder in which npm runs; a neutral folder if absent. */
  readonly runsIn: string | undefined;
}

async function withNode(
  { host, toolchain }: NodeEnvironmentDependencies,
  context: Pick<JobContext, "log">,
  { root, runsIn }: NodeFolders,
) {
  const { platform } = host;
  const all = withoutStartersPrograms(withoutWithheld(host, context), { root, platform });
  const env = await toolchain.systemToolchainAllowed() ? all : withoutDetected(all);
  return { env, found: await toolchain.withToolOnPath("npm", env, { runsIn }) };
}

function withoutDetected(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !DETECTED.test(name)));
}

/** The part of this process's environment that builds see: no secrets but those that its user lists. */
function withoutWithheld(host: Host, context: Pick<JobContext, "log">): Record<string, string> {
  const all = host.environment();
  const seen = withoutSecrets(all, allowedSecrets(all));
  const withheld = Object.keys(all).filter((name) =>
    !Object.hasOwn(seen, name) && !/^SVC_/i.test(name)
  );
  if (withheld.length > 0) {
    context.log(
      `build: without ${withheld.sort().join(", ")} (a secret by its name or value; for a build ` +
        `that needs one, set ${BUILD_ENV}=NAME,NAME before this is started)`,
    );
  }
  const unset = allowedSecrets(all).filter((name) =>
    !Object.keys(all).some((each) => each.toUpperCase() === name.toUpperCase())
  );
  if (unset.length > 0) {
    context.log(`build: ${BUILD_ENV} names ${unset.join(", ")}, and nothing of that name is set`);
  }
  return seen;
}

/** The dependencies of {@linkcode stepEnvironment}. */
export interface StepEnvironmentDependencies {
  readonly toolchain: Pick<Toolchain, "withToolOnPath">;
}

/**
 * The environment of one step of a target: of Android's {@linkcode androidEnvironment}; of iOS with the
 * CocoaPods that is found, as Capacitor runs `pod` in the middle of a step, and in UTF-8, without which it
 * breaks off: an app that is started from the Finder has no locale. The Ruby and the gems of our own
 * CocoaPods are seen by `pod` alone.
 *
 * @returns 422 `toolchain-unresolved` that names what is not found, and the next step.
 */
export async function stepEnvironment(
  dependencies: StepEnvironmentDependencies,
  env: Readonly<Record<string, string>>,
  { target, program, tools }: {
    readonly target: BuildTarget;
    readonly program: string;
    readonly tools: DetectOptions;
  },
): Promise<Result<Record<string, string>, Problem>> {
  if (target === "android") return await androidEnvironment(dependencies, env, tools);
  if (target !== "ios") return ok({ ...env });
  const around = inUtf8(env);
  const added = await dependencies.toolchain.withToolOnPath("cocoapods", around, {
    ...tools,
    alone: true,
  });
  if (!added.ok && program !== "pod") return ok(around);
  return added.ok ? added : refuse(
    422,
    "toolchain-unresolved",
    `Cannot run pod: ${added.error.message}`,
    `Open Build Support: ${added.error.next ?? "install cocoapods there"}`,
  );
}

/** Returns `env` with a locale of UTF-8, for the variables that say otherwise. */
function inUtf8(env: Readonly<Record<string, string>>): Record<string, string> {
  const isOther = (value: string | undefined) => !/utf-?8/i.test(value ?? "");
  const utf8 = "en_US.UTF-8";
  return {
    ...env,
    ...(isOther(env["LANG"]) && { LANG: utf8 }),
    ...((env["LC_ALL"] ?? "") !== "" && isOther(env["LC_ALL"]) && { LC_ALL: utf8 }),
  };
}

/**
 * The environment of the Android steps: `JAVA_HOME` and `ANDROID_HOME` from the shared detection or
 * from `user.sdk`, and from nowhere else (BUILD-3).
 *
 * @returns 422 `toolchain-unresolved` that points at Build Support.
 */
async function androidEnvironment(
  { toolchain }: StepEnvironmentDependencies,
  env: Readonly<Record<string, string>>,
  options: DetectOptions,
): Promise<Result<Record<string, string>, Problem>> {
  let found = withGradleProxy(withoutDetected(env));
  for (const id of ["java", "android-sdk"] as const) {
    const added = await toolchain.withToolOnPath(id, found, options);
    if (!added.ok) {
      const { message, next } = added.error;
      return refuse(
        422,
        "toolchain-unresolved",
        `Cannot run the Android steps: ${message}`,
        `Open Build Support: ${next ?? `install ${id} there`}`,
      );
    }
    found = added.value;
  }
  return ok(found);
}
