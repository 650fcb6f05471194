import type { Files } from "../../ports/files.ts";
import { type DescribeOptions, type LookOptions, PHONE_TARGETS } from "../../toolchain/mod.ts";
import { appFolderOf } from "./app-facts.ts";
import { readAppSettings } from "./capacitor.ts";
import { gradleLevelsOf } from "./gradle-levels.ts";
import { gradleStartOf } from "./gradle-run.ts";
import type { ProjectConfig } from "../config/config.ts";

/**
 * Returns how a project's builds look for tools, for the builds and for all places that report tools: a
 * report must be what a build finds. Its targets are the phones with build steps.
 *
 * @param root The project's folder.
 */
export async function neededTools(
  files: Files,
  root: string,
  { build, user }: ProjectConfig,
): Promise<LookOptions & DescribeOptions> {
  const settings = await readAppSettings(files, root);
  const app = { root, realRoot: root, target: "android", settings, report: null } as const;
  const appFolder = appFolderOf(app);
  const { folder } = gradleStartOf(build.android?.steps ?? [], { root, appFolder });
  return {
    targets: PHONE_TARGETS.filter((target) => (build[target]?.steps ?? []).length > 0),
    overrides: user?.sdk,
    ...await gradleLevelsOf(files, root, { build, folder }),
  };
}
