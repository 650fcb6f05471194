import { fail, type Failure, ok, type Result } from "../../core/result.ts";
import { scrubbedEnvironment, type Spawn, startable } from "../../programs/mod.ts";
import type { Detection } from "../tools/types.ts";
import { sdkManagerOf } from "./android-sdk.ts";
import { explainDetection, fixFor, type PreflightContext, serves } from "./preflight.ts";
import type { ValidateContext } from "./validation.ts";

/** The package manager of an Android SDK, on the JDK of builds. */
export interface SdkManager {
  /** The SDK's folder. */
  readonly sdk: string;
  /** The command that starts it with the given words. */
  readonly spawn: Spawn;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Finds out how to run the package manager of the SDK that builds use: on their JDK instead of JAVA_HOME's,
 * and without a shell (TOOL-19).
 *
 * @param found.sdk May lack parts, since the package manager adds them.
 * @returns `tool-absent` without such an SDK, package manager or JDK.
 */
export async function sdkManagerRun(
  words: readonly string[],
  { sdk, java }: { readonly sdk: Detection; readonly java: Detection },
  context: ValidateContext & PreflightContext,
): Promise<Result<SdkManager, Failure<"tool-absent">>> {
  const { files, folder: { paths }, host, syncStat } = context;
  const purpose = "Cannot run the package manager of the Android SDK";
  const { remedy } = sdk;
  const named = remedy?.kind === "sdkmanager"
    ? remedy.program
    : remedy?.kind === "override"
    ? remedy.sdkManager
    : undefined;
  const program = named ?? (sdk.present ? await sdkManagerOf(sdk.path, context) : null);
  if (program === null) {
    const why = sdk.present
      ? `${sdk.path} has no cmdline-tools whose sdkmanager still installs packages`
      : explainDetection(sdk);
    return fail("tool-absent", `${purpose}: ${why}`, fixFor(sdk, context));
  }
  if (!serves(java)) {
    return fail(
      "tool-absent",
      `${purpose}: java: ${explainDetection(java)}`,
      fixFor(java, context),
    );
  }
  // <sdk>/cmdline-tools/<version>/bin/sdkmanager
  const home = [1, 2, 3, 4].reduce((path) => paths.parent(path), program);
  const env = { ...scrubbedEnvironment(host.environment()), JAVA_HOME: java.path };
  const run = await startable(program, [`--sdk_root=${home}`, ...words], {
    files,
    host,
    syncStat,
    env,
  });
  return run.ok
    ? ok({ sdk: home, spawn: run.value, env })
    : fail("tool-absent", `${purpose}: ${run.error.message}`, run.error.next);
}
