import { decodeUtf8 } from "../../core/bytes.ts";
import { attempt } from "../../core/attempt.ts";
import { readInside } from "../../editor/files/mod.ts";
import type { Files } from "../../ports/files.ts";
import { isCompileSdk, type ProjectConfig } from "../config/config.ts";

/** More than a module's build file has, in bytes. */
const MAX_GRADLE_FILE = 256 * 1024;

/** Where a level stands in plain text: the module's own word first, then the variable it refers to. */
const GRADLE_FILES = [
  "android/app/build.gradle",
  "android/app/build.gradle.kts",
  "android/variables.gradle",
  "android/build.gradle",
  "android/build.gradle.kts",
  "android/gradle.properties",
];

const CATALOG = "android/gradle/libs.versions.toml";

// A project comes from anywhere: no pattern below may try a text again from each of its places.

/** Texts, which are kept, and comments, which say nothing; each ends with its line or the file at the latest. */
const TEXTS_AND_COMMENTS =
  /"(?:[^"\\\r\n]|\\.)*"?|'(?:[^'\\\r\n]|\\.)*'?|\/\/[^\r\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/)?/g;

/** `compileSdk 36`, `compileSdk = 36`, `compileSdkVersion(36)`, `compileSdkVersion "android-36"`. */
const LEVEL =
  /(?:^|[{;])[ \t]*compileSdk(?:Version)?(?:[ \t]*[=(][ \t]*|[ \t]+)["']?(?:android-)?(\d+(?:\.\d)?)\b/m;

/** `compileSdk { version = release(36) { minorApiLevel = 1 } }`. */
const RELEASE =
  /(?:^|[{;])[ \t]*compileSdk\s*\{\s*version\s*=\s*release\(\s*(\d+)\s*\)(?:\s*\{\s*minorApiLevel\s*=\s*(\d)\b)?/m;

/** The minor level, where the module has a statement of its own for it. */
const MINOR = /(?:^|[{;])[ \t]*compileSdkMinor(?:[ \t]*=[ \t]*|[ \t]+)(\d)\b/m;

/** `compileSdk = libs.versions.android.compileSdk.get().toInt()`. */
const REFERENCE =
  /(?:^|[{;])[ \t]*compileSdk(?:Version)?(?:[ \t]*[=(][ \t]*|[ \t]+)libs\.versions\.([\w.]+)\.get\(/m;

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
  const configured = config.build.android?.compileSdk;
  if (configured !== undefined) return configured;
  for (const path of GRADLE_FILES) {
    const text = (await projectText(files, root, path))
      ?.replace(TEXTS_AND_COMMENTS, (found) => found.startsWith("/") ? " " : found);
    if (text === undefined) continue;
    const name = REFERENCE.exec(text)?.[1];
    const level = name === undefined
      ? levelIn(text)
      : catalogLevel(await projectText(files, root, CATALOG), name);
    if (isCompileSdk(level)) return level;
  }
  return undefined;
}

async function projectText(files: Files, root: string, path: string): Promise<string | undefined> {
  const read = await attempt(() => readInside(files, root, { path, maxBytes: MAX_GRADLE_FILE }));
  if (!read.ok || read.value === null || read.value === "outside") return undefined;
  return decodeUtf8(read.value.bytes) ?? undefined;
}

function levelIn(text: string): number {
  const [, major, minor] = RELEASE.exec(text) ?? LEVEL.exec(text) ?? [];
  return Number(major?.includes(".") ? major : `${major}.${minor ?? MINOR.exec(text)?.[1] ?? 0}`);
}

/** Reads the level from a version catalog: Gradle treats `-` and `_` in a name as dots. */
function catalogLevel(catalog: string | undefined, name: string): number {
  for (const [, key = "", level] of catalog?.matchAll(/^([\w-]+)[ \t]*=[ \t]*"(\d+)"/gm) ?? []) {
    if (key.replace(/[-_]/g, ".") === name) return Number(level);
  }
  return NaN;
}
