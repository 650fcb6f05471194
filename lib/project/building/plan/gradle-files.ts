import { attempt } from "../../../core/attempt.ts";
import type { Files } from "../../../ports/files.ts";
import { MAX_TEXT_BYTES, readText, textOf } from "./project-text.ts";

// The files in which a Gradle build states its tools. They are read as data, and only inside the project's
// folder, wherever links lead.

const PATHS = [
  "gradle/wrapper/gradle-wrapper.properties",
  "gradle/gradle-daemon-jvm.properties",
  "gradle/libs.versions.toml",
  "build.gradle",
  "build.gradle.kts",
  "settings.gradle",
  "settings.gradle.kts",
  "app/build.gradle",
  "app/build.gradle.kts",
  "app/capacitor.build.gradle",
  "variables.gradle",
  "gradle.properties",
  "local.properties",
] as const;

/** A file of a Gradle build, below its folder. */
export type GradlePath = (typeof PATHS)[number];

/** Texts of the files of a Gradle build. */
export interface GradleFiles {
  /** The folder of the build, below the project's: `android`; empty for the project's own. */
  readonly folder: string;
  /** The texts of the files that exist. */
  readonly texts: ReadonlyMap<GradlePath, string>;
  /** Whether its wrapper's script starts `gradle-wrapper.jar`, and the state of that file. */
  readonly wrapper: {
    readonly startsJar: boolean;
    readonly jar: "there" | "missing" | "no archive";
  };
}

/** Reads the files of a Gradle build. @param root The project's folder, absolute. */
export async function readGradleFiles(
  files: Files,
  root: string,
  folder: string,
): Promise<GradleFiles> {
  const at = folder === "" ? "" : `${folder}/`;
  const texts = new Map<GradlePath, string>();
  for (const path of PATHS) {
    const text = await readText(files, root, at + path);
    if (text !== null) texts.set(path, text);
  }
  return { folder, texts, wrapper: await wrapperIn(files, root, at) };
}

async function wrapperIn(
  files: Files,
  root: string,
  at: string,
): Promise<GradleFiles["wrapper"]> {
  const scripts = await Promise.all(
    ["gradlew", "gradlew.bat"].map((name) => readText(files, root, at + name)),
  );
  const startsJar = scripts.some((script) => script?.includes("gradle-wrapper.jar"));
  if (!startsJar) return { startsJar, jar: "missing" };
  const jar = `${root}/${at}gradle/wrapper/gradle-wrapper.jar`;
  const head = await attempt(() => files.readRange(jar, 0, 2));
  const bytes = head.ok ? head.value : null;
  const isArchive = bytes?.[0] === 0x50 && bytes[1] === 0x4b; // a pointer of Git LFS is text
  return { startsJar, jar: bytes === null ? "missing" : isArchive ? "there" : "no archive" };
}

/** Reads a text of the user's own; `null` if it is missing or unreadable. */
export async function readUserFile(
  files: Pick<Files, "read">,
  path: string,
): Promise<string | null> {
  const read = await attempt(() => files.read(path, MAX_TEXT_BYTES));
  return read.ok && read.value !== null ? textOf(read.value) : null;
}
