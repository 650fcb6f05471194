import type { Files } from "../../ports/files.ts";
import { type DescribeOptions, type LookOptions, PHONE_TARGETS } from "../../toolchain/mod.ts";
import { appFolderOf } from "./app-facts.ts";
import { readSettings } from "./capacitor.ts";
import { compileSdkOf } from "./compile-sdk.ts";
import { gradleStartOf } from "./gradle-run.ts";
import type { ProjectConfig } from "../config/config.ts";

/**
 * How a project's builds look for tools, for them and for whoever tells of them: what is told must be
 * what a build finds. Its targets are the phones with build steps.
 *
 * @param root The project's folder.
 */
export async function neededTools(
  files: Files,
  root: string,
  { build, user }: ProjectConfig,
): Promise<LookOptions & DescribeOptions> {
  const settings = await readSettings(files, root);
  const appFolder = appFolderOf({ root, target: "android", settings, report: null });
  const { folder } = gradleStartOf(build.android?.steps ?? [], { root, appFolder });
  return {
    targets: PHONE_TARGETS.filter((target) => (build[target]?.steps ?? []).length > 0),
    overrides: user?.sdk,
    compileSdk: await compileSdkOf(files, root, { build }, folder),
  };
}
