import type { Files } from "../../ports/files.ts";
import type { ProjectConfig } from "../config/config.ts";
import { readGradleFiles } from "./plan/gradle-files.ts";
import { compileSdkIn } from "./plan/gradle-text.ts";

/**
 * The level of the Android platform that a project compiles with: `build.android.compileSdk`, else what
 * its Gradle files say in plain text. They are read, never run.
 *
 * @param folder The folder of its Gradle build, below the project's.
 * @returns `undefined` where none of them says it.
 */
export async function compileSdkOf(
  files: Files,
  root: string,
  { build }: Pick<ProjectConfig, "build">,
  folder = "android",
): Promise<number | undefined> {
  if (build.android?.compileSdk !== undefined) return build.android.compileSdk;
  const { texts } = await readGradleFiles(files, root, folder);
  return compileSdkIn(texts)?.value;
}
