import { isCompileSdk } from "../../config/config.ts";
import type { GradleFiles, GradlePath } from "./gradle-files.ts";
import { parseProperties } from "./java-properties.ts";

// Gradle files are programs. What people write into them in plain text is read; what is computed is not known.
// A project comes from anywhere: no pattern below may try a text again from each of its places.

/** Strings, which are kept, and comments, which are removed. An unclosed one ends with its line, or the file. */
const TEXTS_AND_COMMENTS =
  /"(?:[^"\\\r\n]|\\.)*"?|'(?:[^'\\\r\n]|\\.)*'?|\/\/[^\r\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/)?/g;

/** A statement of the level: whether it is at the beginning of one, and the rest. */
const LEVEL_STATEMENT =
  /(?:((?:^|[{;])[ \t]*)|(?<![\w.$"']))compileSdk(?:Version)?(?!\w)([^;}\r\n]*)/gm;

/** `compileSdk 36`, `compileSdk = 36`, `compileSdkVersion(36)`, `compileSdkVersion "android-36"`. */
const LEVEL = /^(?:[ \t]*[=(][ \t]*|[ \t]+)["']?(?:android-)?(\d+(?:\.\d)?)\b["')]*[ \t]*(?:,|$)/;

/** `rootProject.ext.compileSdkVersion`, `hasProperty('compileSdk') ? … : 36`: the variable decides. */
const LEVEL_VARIABLE = /^[^?]*compileSdk(?:Version)?(?!\w)/;

/** Maximum statements of one thing in a file that are read; usual are two. */
const MAX_STATEMENTS = 20;

/** `compileSdk { version = release(36) { minorApiLevel = 1 } }`. */
const RELEASE =
  /(?:^|[{;])[ \t]*compileSdk\s*\{\s*version\s*=\s*release\(\s*(\d+)\s*\)(?:\s*\{\s*minorApiLevel\s*=\s*(\d)\b)?/m;

/** The minor level, where the module has a statement of its own for it. */
const MINOR = /(?:^|[{;])[ \t]*compileSdkMinor(?:[ \t]*=[ \t]*|[ \t]+)(\d)\b/m;

/** `compileSdk = libs.versions.android.compileSdk.get().toInt()`. */
const REFERENCE = /^(?:[ \t]*[=(][ \t]*|[ \t]+)libs\.versions\.([\w.]+)\.get\(/;

/** `buildToolsVersion "35.0.0"`, `buildToolsVersion = "35.0.0"`, `buildToolsVersion("35.0.0")`; or another. */
const BUILD_TOOLS =
  /(?:^|[{;])[ \t]*buildToolsVersion(?:[ \t]*[=(][ \t]*|[ \t]+)["'](\d+(?:\.\d+)*(?:-rc\d+)?)["']|(?<![\w.$"'])buildToolsVersion(?!\w)/m;

/** `classpath 'com.android.tools.build:gradle:8.13.0'`; `useModule("…:8.13.0")` of a plugin that is requested. */
const CLASSPATH = /["']com\.android\.tools\.build:gradle:(?:(\d[\w.-]*)["'])?/;

/** `useModule("com.android.tools.build:gradle:${requested.version}")`: the plugin in the version of its id. */
const AS_REQUESTED = /["']com\.android\.tools\.build:gradle:\$\{?(?:\w+\.)*version\}?["']/g;

/** `useVersion("8.13.0")`, `versionCatalogs { … }`: settings decide versions that other files state. */
const USES_VERSION = /\buseVersion\b/;
const OWN_CATALOGS = /\bversionCatalogs\b/;

/** `id 'com.android.application' version '8.13.0'`, `id("com.android.application") version "8.13.0"`. */
const PLUGIN =
  /\bid[ \t]*(?:\([ \t]*)?["']com\.android\.(?:application|library|settings)["'][ \t]*(?:\)[ \t]*)?\.?version[ \t]*(?:\([ \t]*)?(?:["'](\d[\w.-]*)["'])?/;

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

/** A value that a file sets, but not in plain text: its program decides. */
export const COMPUTED = "computed";
/** See {@linkcode COMPUTED}. */
export type Computed = typeof COMPUTED;

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
  const module = LEVEL_PATHS.filter((path) => path.startsWith("app/") && texts.has(path));
  // A module that does not mention the level gets it from a plugin of the project.
  const isElsewhere = module.length > 0 &&
    module.every((path) => levelsIn(texts, path).length === 0);
  if (isElsewhere) return null;
  for (const path of LEVEL_PATHS) {
    const value = levelIn(texts, path);
    if (value === COMPUTED) return null;
    if (value !== null) return { value, path };
  }
  return null;
}

/** The level that a file states; `null` if it leaves that to another file. */
function levelIn(texts: Texts, path: GradlePath): number | Computed | null {
  if (path === "gradle.properties") return propertyLevel(texts);
  const levels = new Set(levelsIn(texts, path));
  const [level = null] = levels;
  if (levels.size > 1) return COMPUTED; // which of them counts is decided by the program
  return level === null || level === COMPUTED || isCompileSdk(level) ? level : null;
}

function propertyLevel(texts: Texts): number | null {
  const set = parseProperties(texts.get("gradle.properties") ?? "");
  const value = set.get("compileSdkVersion") ?? set.get("compileSdk");
  const found = Number(/^(?:android-)?(\d+(?:\.\d)?)\s*$/.exec(value ?? "")?.[1]);
  return isCompileSdk(found) ? found : null;
}

/** The levels of all statements of a file. */
function levelsIn(texts: Texts, path: GradlePath): readonly (number | Computed | null)[] {
  const text = withoutComments(texts.get(path));
  const statements = [...text.matchAll(LEVEL_STATEMENT)];
  if (statements.length > MAX_STATEMENTS) return [COMPUTED];
  const found = statements.map(([, begins, rest = ""]) => {
    const name = REFERENCE.exec(rest)?.[1];
    if (name === undefined && LEVEL_VARIABLE.test(rest)) return null;
    if (begins === undefined) return COMPUTED; // behind a condition
    return name === undefined
      ? statedLevel(text, rest)
      : Number(catalogVersion(texts, name) ?? NaN) || COMPUTED;
  });
  // Outside the module a statement may use the variable that is set next to it.
  return path.startsWith("app/") ? found : found.filter((level) => level !== null);
}

function statedLevel(text: string, rest: string): number | Computed {
  const found = /^\s*\{/.test(rest) ? RELEASE.exec(text) : LEVEL.exec(rest);
  if (found === null) return COMPUTED;
  const [, major = "", minor = MINOR.exec(text)?.[1] ?? 0] = found;
  return Number(major.includes(".") ? major : `${major}.${minor}`);
}

/** The build tools that a build asks for by name. */
export function buildToolsIn(texts: Texts): Said<string> | Computed | null {
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
  const plain = new Map([...texts].map(([path, text]) => [path, text.replace(AS_REQUESTED, "")]));
  const module = firstIn(plain, paths, CLASSPATH);
  if (module !== null) return module === COMPUTED ? null : module;
  if (USES_VERSION.test(settingsIn(texts))) return null;
  const said = firstIn(plain, paths, PLUGIN) ?? pluginInCatalog(texts);
  return said === COMPUTED ? null : said;
}

/** The level of Java that the app's own code is compiled for; none if the compiler has a JDK of its own. */
export function javaLevelIn(texts: Texts): Said<number> | null {
  const own: readonly GradlePath[] = ["app/build.gradle", "app/build.gradle.kts"];
  const root: readonly GradlePath[] = ["build.gradle", "build.gradle.kts"];
  if ([...own, ...root].some((path) => TOOLCHAIN.test(withoutComments(texts.get(path))))) {
    return null;
  }
  // Capacitor's file is applied to the module, and overrides what precedes it.
  const said = firstIn(texts, ["app/capacitor.build.gradle", ...own], JAVA_LEVEL);
  return said === null || said === COMPUTED ? null : { ...said, value: Number(said.value) };
}

/** The first file with a match, and what the pattern captures there. */
function firstIn(
  texts: Texts,
  paths: readonly GradlePath[],
  pattern: RegExp,
): Said<string> | Computed | null {
  for (const path of paths) {
    const text = withoutComments(texts.get(path));
    const matches = text.matchAll(new RegExp(pattern, `g${pattern.flags}`));
    const values = new Set([...matches].map(([, one]) => one));
    if (values.size === 0) continue;
    const [value] = values;
    // Which of several counts is decided by the program.
    return value === undefined || values.size > 1 ? COMPUTED : { value, path };
  }
  return null;
}

function withoutComments(text = ""): string {
  return text.replace(TEXTS_AND_COMMENTS, (found) => found.startsWith("/") ? " " : found);
}

const CATALOG: GradlePath = "gradle/libs.versions.toml";

/** The settings of a build, without comments. */
function settingsIn(texts: Texts): string {
  return withoutComments(
    `${texts.get("settings.gradle") ?? ""}\n${texts.get("settings.gradle.kts") ?? ""}`,
  );
}

/** The version catalog; empty if the settings make their own, whose versions they may replace. */
function catalogIn(texts: Texts): string {
  return OWN_CATALOGS.test(settingsIn(texts)) ? "" : texts.get(CATALOG) ?? "";
}

/** The version of a name in the version catalog: Gradle treats `-` and `_` in a name as dots. */
function catalogVersion(texts: Texts, name: string): string | null {
  const text = catalogIn(texts);
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
  const lines = catalogIn(texts).split(/\r?\n/)
    .filter((line) => /["']com\.android\.(?:application|tools\.build:gradle)["':]/.test(line));
  for (const line of lines.slice(0, MAX_STATEMENTS)) {
    const value =
      /["']com\.android\.(?:application|tools\.build:gradle):(\d[\w.-]*)["']/.exec(line)?.[1] ??
        /\bversion[ \t]*=[ \t]*["'](\d[\w.-]*)["']/.exec(line)?.[1] ??
        catalogVersion(texts, /\bref[ \t]*=[ \t]*["']([\w.-]+)["']/.exec(line)?.[1] ?? "");
    if (value !== null && value !== undefined) return { value, path: CATALOG };
  }
  return null;
}
