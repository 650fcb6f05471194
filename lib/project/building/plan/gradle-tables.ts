import { compareVersions, isOlder } from "./versions.ts";

// Requirements that Gradle and the Android Gradle plugin publish. Sources, read in November 2026:
//   docs.gradle.org/current/userguide/compatibility.html, "Java Runtime"
//   developer.android.com/build/releases/agp-X-Y-0-release-notes, "Compatibility"
//   developer.android.com/build/releases/past-releases, the same of older ones

/** The first Gradle that runs on a JDK. */
const FIRST_GRADLE: readonly (readonly [jdk: number, gradle: string])[] = [
  [8, "2.0"],
  [9, "4.3"],
  [10, "4.7"],
  [11, "5.0"],
  [12, "5.4"],
  [13, "6.0"],
  [14, "6.3"],
  [15, "6.7"],
  [16, "7.0"],
  [17, "7.3"],
  [18, "7.5"],
  [19, "7.6"],
  [20, "8.3"],
  [21, "8.5"],
  [22, "8.8"],
  [23, "8.10"],
  [24, "8.14"],
  [25, "9.1.0"],
  [26, "9.4.0"],
];

/** The first Gradle that was not out when these were read: it may run on JDKs that are not listed. */
const FIRST_UNREAD = "9.7";

/** The first Gradle that needs a JDK of at least this version. */
const FIRST_TO_NEED: readonly (readonly [gradle: string, jdk: number])[] = [
  ["9.0", 17],
  ["5.0", 8],
];

/** Requirements of a version of the Android Gradle plugin. */
export interface PluginNeeds {
  /** The plugin, as major and minor version. */
  readonly plugin: string;
  /** The oldest Gradle on which it starts. */
  readonly gradle: string;
  /** The build tools that it takes; an older `buildToolsVersion` is ignored. */
  readonly buildTools: string;
  /** The newest level that it was tested with; a newer one is a warning. */
  readonly compileSdk: number;
  /** The oldest JDK on which it starts. */
  readonly jdk: number;
}

const PLUGINS: readonly PluginNeeds[] = ([
  ["9.4", "9.6.0", "36.0.0", 37, 17],
  ["9.3", "9.5.0", "36.0.0", 37, 17],
  ["9.2", "9.4.1", "36.0.0", 36.1, 17],
  ["9.1", "9.3.1", "36.0.0", 36.1, 17],
  ["9.0", "9.1.0", "36.0.0", 36, 17],
  ["8.13", "8.13", "35.0.0", 36, 17],
  ["8.12", "8.13", "35.0.0", 36, 17],
  ["8.11", "8.13", "35.0.0", 36, 17],
  ["8.10", "8.11.1", "35.0.0", 36, 17],
  ["8.9", "8.11.1", "35.0.0", 35, 17],
  ["8.8", "8.10.2", "35.0.0", 35, 17],
  ["8.7", "8.9", "34.0.0", 35, 17],
  ["8.6", "8.7", "34.0.0", 35, 17],
  ["8.5", "8.7", "34.0.0", 34, 17],
  ["8.4", "8.6", "34.0.0", 34, 17],
  ["8.3", "8.4", "34.0.0", 34, 17],
  ["8.2", "8.2", "34.0.0", 34, 17],
  ["8.1", "8.0", "33.0.1", 34, 17],
  ["8.0", "8.0", "30.0.3", 33, 17],
  ["7.4", "7.5", "30.0.3", 33, 11],
  ["7.3", "7.4", "30.0.3", 33, 11],
  ["7.2", "7.3.3", "30.0.3", 32, 11],
  ["7.1", "7.2", "30.0.3", 32, 11],
  ["7.0", "7.0", "30.0.2", 31, 11],
  ["4.2", "6.7.1", "30.0.2", 30, 8],
] as const).map(([plugin, gradle, buildTools, compileSdk, jdk]) => ({
  plugin,
  gradle,
  buildTools,
  compileSdk,
  jdk,
}));

/** The first Gradle that runs on a JDK; `null` for a JDK that is newer than the table. */
export function firstGradleOn(jdk: number): string | null {
  return FIRST_GRADLE.find(([each]) => each === jdk)?.[1] ?? null;
}

/** The newest JDK on which a Gradle runs; `null` for a Gradle before or after the table. */
export function newestJdkOf(gradle: string): number | null {
  if (!isOlder(release(gradle), FIRST_UNREAD)) return null;
  const runs = FIRST_GRADLE.filter(([, first]) => !isOlder(release(gradle), first));
  return runs.at(-1)?.[0] ?? null;
}

/** The oldest JDK on which a Gradle runs. */
export function oldestJdkOf(gradle: string): number {
  return FIRST_TO_NEED.find(([first]) => !isOlder(release(gradle), first))?.[1] ?? 7;
}

/** Returns the requirements of a version of the Android Gradle plugin; `null` if the table lacks it. */
export function needsOfPlugin(version: string): PluginNeeds | null {
  const [major, minor] = version.split(".");
  return PLUGINS.find(({ plugin }) => plugin === `${major}.${minor}`) ?? null;
}

/** The build tools that the plugin takes: those that are asked for, or its own if they are newer. */
export function buildToolsTaken(needs: PluginNeeds, asked: string | undefined): string {
  return asked !== undefined && compareVersions(asked, needs.buildTools) > 0
    ? asked
    : needs.buildTools;
}

/** A release candidate runs on what its release does. */
function release(version: string): string {
  return version.split("-")[0] ?? version;
}
