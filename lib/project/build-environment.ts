import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { Host } from "../ports/host.ts";
import type { SdkOverrides, Toolchain } from "../toolchain/mod.ts";

/** The part of a toolchain that builds use. */
export type BuildTools = Pick<Toolchain, "detect" | "withToolOnPath">;

/** What the environment of a build is made of. */
export interface EnvironmentDependencies {
  /** This process's environment. */
  readonly host: Pick<Host, "environment">;
  /** Finds the tools. */
  readonly toolchain: BuildTools;
}

/** Variables that a build never sees: this service's own, and credentials of clouds (CONTRACTS §3). */
const WITHHELD =
  /^(?:SVC_|AWS_|AZURE_|CLOUDSDK_|GCLOUD_|BOTO_|GCE_METADATA_|GOOGLE_.*(?:CREDENTIAL|TOKEN|SECRET|KEY_FILE))/i;

/** Variables that only the shared detection may set for an Android build (spec §4.8, build use). */
const DETECTED = /^(?:JAVA_HOME|ANDROID_HOME|ANDROID_SDK_ROOT)$/i;

/**
 * The environment of every build step: this process's, without what is nobody else's, with the
 * detected npm's own runtime in front of PATH. Where there is no npm, PATH is as it was: what a
 * command needs is then looked up there, or missed by name.
 */
export async function buildEnvironment(
  { host, toolchain }: EnvironmentDependencies,
): Promise<Record<string, string>> {
  const env = withoutSecrets(host.environment());
  const withNode = await toolchain.withToolOnPath("npm", env);
  return withNode.ok ? withNode.value : env;
}

/** An environment without what builds never see. */
export function withoutSecrets(
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !WITHHELD.test(name)));
}

/**
 * The environment of the Android steps: `JAVA_HOME` and `ANDROID_HOME` from the shared detection or
 * from `user.sdk`, and from nowhere else (spec §4.8).
 *
 * @returns 422 `toolchain-unresolved` that points at Build Support.
 */
export async function androidEnvironment(
  { toolchain }: Pick<EnvironmentDependencies, "toolchain">,
  env: Readonly<Record<string, string>>,
  overrides: SdkOverrides | undefined,
): Promise<Result<Record<string, string>, Problem>> {
  let found = Object.fromEntries(Object.entries(env).filter(([name]) => !DETECTED.test(name)));
  for (const id of ["java", "android-sdk"] as const) {
    const added = await toolchain.withToolOnPath(id, found, { overrides });
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
