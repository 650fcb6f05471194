import { ok } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import { type DescribeOptions, type LookOptions, PHONE_TARGETS } from "../../toolchain/mod.ts";
import { appFolderOf } from "./app-facts.ts";
import { readAppSettings } from "./capacitor.ts";
import { gradleLevelsOf } from "./gradle-levels.ts";
import { gradleStartOf } from "./gradle-run.ts";
import { findGradleSdk } from "./gradle-sdk.ts";
import { folderPlace } from "./plan/project-text.ts";
import type { ProjectConfig } from "../config/config.ts";

/**
 * Returns how a project's builds look for tools, for the builds and for all places that report tools: a
 * report must be what a build finds. Its targets are the phones with build steps. The SDK of a file of the
 * project counts before that of its settings, as for Gradle.
 *
 * @param root The project's folder.
 */
export async function neededTools(
  { files, host }: { readonly files: Files; readonly host: Pick<Host, "platform"> },
  root: string,
  { build, user }: ProjectConfig,
): Promise<LookOptions & DescribeOptions> {
  const settings = await readAppSettings(files, root);
  const app = { root, realRoot: root, target: "android", settings, report: null } as const;
  const appFolder = appFolderOf(app);
  const { folder } = gradleStartOf(build.android?.steps ?? [], { root, appFolder });
  const targets = PHONE_TARGETS.filter((target) => (build[target]?.steps ?? []).length > 0);
  const { sdkDir, ...levels } = await gradleLevelsOf(files, root, { build, folder });
  const sdk = targets.includes("android")
    ? await findGradleSdk(files, host, { folder: folderPlace(root, folder), sdkDir })
    : ok(null);
  const named = sdk.ok ? sdk.value : null;
  return {
    targets,
    overrides: named === null ? user?.sdk : { ...user?.sdk, "android-sdk": named },
    ...levels,
  };
}
