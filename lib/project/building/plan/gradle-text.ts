import { isCompileSdk } from "../../config/config.ts";
import type { GradleFiles, GradlePath } from "./gradle-files.ts";

// Gradle files are programs. What people write into them in plain text is read; what is computed is not known.
// A project comes from anywhere: no pattern below may try a text again from each of its places.

/** Strings, which are kept, and comments, which are removed. An unclosed one ends with its line, or the file. */
const TEXTS_AND_COMMENTS =
  /"(?:[^"\\\r\n]|\\.)*"?|'(?:[^'\\\r\n]|\\.)*'?|\/\/[^\r\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/)?/g;

/** `compileSdk 36`, `compileSdk = 36`, `compileSdkVersion(36)`, `compileSdkVersion "android-36"`. */
const LEVEL =
  /(?:^|[{;])[ \t]*compileSdk(?:Version)?(?:[ \t]*[=(][ \t]*|[ \t]+)["']?(?:android-)?(\d+(?:\.\d)?)\b["')]*[ \t]*(?=[;},\r\n]|$)/m;

/** `compileSdk { version = release(36) { minorApiLevel = 1 } }`. */
const RELEASE =
  /(?:^|[{;])[ \t]*compileSdk\s*\{\s*version\s*=\s*release\(\s*(\d+)\s*\)(?:\s*\{\s*minorApiLevel\s*=\s*(\d)\b)?/m;

/** The minor level, where the module has a statement of its own for it. */
const MINOR = /(?:^|[{;])[ \t]*compileSdkMinor(?:[ \t]*=[ \t]*|[ \t]+)(\d)\b/m;

/** `compileSdk = libs.versions.android.compileSdk.get().toInt()`. */
const REFERENCE =
  /(?:^|[{;])[ \t]*compileSdk(?:Version)?(?:[ \t]*[=(][ \t]*|[ \t]+)libs\.versions\.([\w.]+)\.get\(/m;

/** `buildToolsVersion "35.0.0"`, `buildToolsVersion = "35.0.0"`, `buildToolsVersion("35.0.0")`. */
const BUILD_TOOLS =
  /(?:^|[{;])[ \t]*buildToolsVersion(?:[ \t]*[=(][ \t]*|[ \t]+)["'](\d+(?:\.\d+)*)["']/m;

/** `classpath 'com.android.tools.build:gradle:8.13.0'`. */
const CLASSPATH = /["']com\.android\.tools\.build:gradle:(\d[\w.-]*)["']/;

/** `id 'com.android.application' version '8.13.0'`, `id("com.android.application") version "8.13.0"`. */
const PLUGIN =
  /\bid[ \t]*\(?[ \t]*["']com\.android\.(?:application|library|settings)["'][ \t]*\)?[ \t]*\.?version[ \t]*\(?[ \t]*["'](\d[\w.-]*)["']/;

/** The level of the compiler: `sourceCompatibility JavaVersion.VERSION_21`, `targetCompatibility = "17"`. */
const JAVA_LEVEL =
  /\b(?:source|target)Compatibility(?:[ \t]*[=(][ \t]*|[ \t]+)(?:JavaVersion\.VERSION_|JavaVersion\.toVersion\([ \t]*)?["']?(?:1[._])?(\d{1,2})\b/;

/** A JDK for the compiler alone, in addition to the one that runs Gradle. */
const TOOLCHAIN = /\bjvmToolchain\b|\btoolchain[ \t]*\{/;

/** A statement of a file, and its path. */
export interface Said<Value> {
  readonly value: Value;
  readonly path: GradlePath;
}

type Texts = GradleFiles["texts"];

/** Files that state a level in plain text: the module itself first, then the variable that it refers to. */
const LEVEL_PATHS: readonly GradlePath[] = [
  "app/build.gradle",
  "app/build.gradle.kts",
  "variables.gradle",
  "build.gradle",
  "build.gradle.kts",
  "gradle.properties",
];

/** The level of the Android platform that a build compiles with, as its files say in plain text. */
export function compileSdkIn(texts: Texts): Said<number> | null {
  for (const path of LEVEL_PATHS) {
    const text = withoutComments(texts.get(path));
    if (text === undefined) continue;
    const name = REFERENCE.exec(text)?.[1];
    const values = name === undefined
      ? levelsIn(text)
      : [Number(catalogVersion(texts, name) ?? NaN)];
    const [value, ...others] = new Set(values.filter(isCompileSdk));
    if (others.length > 0) return null; // which of them counts is decided by the program
    if (value !== undefined) return { value, path };
  }
  return null;
}

/** The build tools that a build asks for by name. */
export function buildToolsIn(texts: Texts): Said<string> | null {
  return firstIn(texts, ["app/build.gradle", "app/build.gradle.kts"], BUILD_TOOLS);
}

/** The version of the Android Gradle plugin. */
export function pluginIn(texts: Texts): Said<string> | null {
  const paths: readonly GradlePath[] = [
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "app/build.gradle",
    "app/build.gradle.kts",
    "buildSrc/build.gradle",
    "buildSrc/build.gradle.kts",
  ];
  return firstIn(texts, paths, CLASSPATH) ?? firstIn(texts, paths, PLUGIN) ??
    pluginInCatalog(texts);
}

/** The level of Java that the app's own code is compiled for; none if the compiler has a JDK of its own. */
export function javaLevelIn(texts: Texts): Said<number> | null {
  const own: readonly GradlePath[] = ["app/build.gradle", "app/build.gradle.kts"];
  const root: readonly GradlePath[] = ["build.gradle", "build.gradle.kts"];
  if ([...own, ...root].some((path) => TOOLCHAIN.test(withoutComments(texts.get(path)) ?? ""))) {
    return null;
  }
  // Capacitor's file is applied to the module, and overrides what precedes it.
  const said = firstIn(texts, ["app/capacitor.build.gradle", ...own], JAVA_LEVEL);
  return said === null ? null : { ...said, value: Number(said.value) };
}

function firstIn(
  texts: Texts,
  paths: readonly GradlePath[],
  pattern: RegExp,
): Said<string> | null {
  for (const path of paths) {
    const text = withoutComments(texts.get(path)) ?? "";
    const values = [...text.matchAll(new RegExp(pattern, `g${pattern.flags}`))].map(([, one]) =>
      one
    );
    const [value] = values;
    if (value === undefined) continue;
    // Which of several counts is decided by the program.
    return values.every((each) => each === value) ? { value, path } : null;
  }
  return null;
}

function withoutComments(text: string | undefined): string | undefined {
  return text?.replace(TEXTS_AND_COMMENTS, (found) => found.startsWith("/") ? " " : found);
}

function levelsIn(text: string): readonly number[] {
  const release = RELEASE.exec(text);
  const found = release === null ? text.matchAll(new RegExp(LEVEL, "gm")) : [release];
  return [...found].map(([, major, minor]) =>
    Number(major?.includes(".") ? major : `${major}.${minor ?? MINOR.exec(text)?.[1] ?? 0}`)
  );
}

const CATALOG: GradlePath = "gradle/libs.versions.toml";

/** The version of a name in the version catalog: Gradle treats `-` and `_` in a name as dots. */
function catalogVersion(texts: Texts, name: string): string | null {
  const text = texts.get(CATALOG) ?? "";
  for (
    const [, key = "", value = ""] of text.matchAll(
      /^[ \t]*([\w-]+)[ \t]*=[ \t]*["'](\d[\w.-]*)["']/gm,
    )
  ) {
    if (key.replace(/[-_]/g, ".") === name.replace(/[-_]/g, ".")) return value;
  }
  return null;
}

/** The catalog's entry of the plugin, which has the version itself or the name of one. */
function pluginInCatalog(texts: Texts): Said<string> | null {
  for (const line of (texts.get(CATALOG) ?? "").split(/\r?\n/)) {
    if (!/["']com\.android\.(?:application|tools\.build:gradle)["':]/.test(line)) continue;
    const value =
      /["']com\.android\.(?:application|tools\.build:gradle):(\d[\w.-]*)["']/.exec(line)?.[1] ??
        /\bversion[ \t]*=[ \t]*["'](\d[\w.-]*)["']/.exec(line)?.[1] ??
        catalogVersion(texts, /\bref[ \t]*=[ \t]*["']([\w.-]+)["']/.exec(line)?.[1] ?? "");
    if (value !== null && value !== undefined) return { value, path: CATALOG };
  }
  return null;
}
