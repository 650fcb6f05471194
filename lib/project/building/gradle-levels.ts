import type { Files } from "../../ports/files.ts";
import type { LookOptions } from "../../toolchain/mod.ts";
import type { ProjectConfig } from "../config/config.ts";
import { buildToolsOf, levelOf } from "./plan/android-facts.ts";
import { readGradleFiles } from "./plan/gradle-files.ts";
import { type GradleProject, parseGradleProject } from "./plan/gradle-project.ts";

/**
 * Returns the parts of the Android SDK that a project's build takes: the level of the platform
 * (`build.android.compileSdk`, else what its Gradle files state in plain text), and the version of the
 * build tools; and the SDK that its files name. The files are read, never run.
 *
 * @param project.folder The folder of its Gradle build, below the project's or absolute.
 */
export async function gradleLevelsOf(
  files: Files,
  root: string,
  { build, folder = "android" }: Pick<ProjectConfig, "build"> & { readonly folder?: string },
): Promise<Pick<LookOptions, "compileSdk" | "buildTools"> & Pick<GradleProject, "sdkDir">> {
  const read = await readGradleFiles(files, root, folder);
  const project = parseGradleProject(read, { user: null, steps: [] });
  return {
    compileSdk: build.android?.compileSdk ?? levelOf(project),
    buildTools: buildToolsOf(project)?.value,
    sdkDir: project.sdkDir,
  };
}
