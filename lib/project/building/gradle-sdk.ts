import { escapeInvisible } from "../../core/invisible.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { attempt } from "../../core/attempt.ts";
import { hostPaths, isNetworkPath } from "../../programs/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import type { NamedFolder } from "../../toolchain/mod.ts";
import type { Decided } from "./plan/gradle-project.ts";

/**
 * Inspects the SDK that Gradle takes before any other: `sdk.dir` of `local.properties`, which Android
 * Studio writes for one machine alone.
 *
 * @param build.folder The folder of the Gradle build, absolute.
 * @returns `null` if none is named, or if it cannot be inspected; 422 `sdk-dir-missing` if nothing is there.
 */
export async function findGradleSdk(
  files: Pick<Files, "realPath">,
  { platform }: Pick<Host, "platform">,
  { folder, sdkDir }: { readonly folder: string; readonly sdkDir: Decided<string> | undefined },
): Promise<Result<NamedFolder | null, Problem>> {
  // Windows would log in at the server of a network path.
  if (sdkDir === undefined || isNetworkPath(sdkDir.value)) return ok(null);
  const { value, from } = sdkDir;
  const paths = hostPaths(platform);
  const isAbsolute = /^(?:\/|[A-Za-z]:[\\/])/.test(value);
  const path = isAbsolute ? value : paths.join(folder, value);
  const found = await attempt(() => files.realPath(path));
  if (!found.ok) return ok(null);
  if (found.value !== null) return ok({ path, by: `sdk.dir in ${from}` });
  return refuse(
    422,
    "sdk-dir-missing",
    `Cannot build android: ${from} names sdk.dir=${
      escapeInvisible(value)
    }, and nothing is there; ` +
      "Gradle takes it before any other SDK",
    `Remove the line sdk.dir from ${from}, then build again: Gradle gets the SDK that was found`,
  );
}
