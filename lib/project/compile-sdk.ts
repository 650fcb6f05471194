import { decodeUtf8 } from "../core/bytes.ts";
import { attempt } from "../editor/attempt.ts";
import { readInside } from "../editor/project-files.ts";
import type { Files } from "../ports/files.ts";
import { isCompileSdk, type ProjectConfig } from "./config.ts";

/** More than a module's build file has, in bytes. */
const MAX_GRADLE_FILE = 256 * 1024;

/** Where a level stands in plain text: the module's own word first, then the variable it refers to. */
const GRADLE_FILES = [
  "android/app/build.gradle",
  "android/app/build.gradle.kts",
  "android/variables.gradle",
];

/** `compileSdk 36`, `compileSdk = 36`, `compileSdkVersion = 36`, `compileSdkVersion(36)`. */
const LEVEL = /^\s*compileSdk(?:Version)?(?:\s*=\s*|\s*\(\s*|\s+)(\d+)\b/m;

/**
 * The level of the Android platform that a project compiles with: `build.android.compileSdk`, else what
 * its Gradle files say in plain text. They are read, never run.
 *
 * @returns `undefined` where none of them says it.
 */
export async function compileSdkOf(
  files: Files,
  root: string,
  config: Pick<ProjectConfig, "build">,
): Promise<number | undefined> {
  const told = config.build.android?.compileSdk;
  if (told !== undefined) return told;
  for (const path of GRADLE_FILES) {
    const read = await attempt(() => readInside(files, root, { path, maxBytes: MAX_GRADLE_FILE }));
    const bytes = read.ok && read.value !== null && read.value !== "outside"
      ? read.value.bytes
      : null;
    const text = bytes === null ? null : decodeUtf8(bytes);
    const level = text === null ? NaN : Number(LEVEL.exec(text)?.[1]);
    if (isCompileSdk(level)) return level;
  }
  return undefined;
}
