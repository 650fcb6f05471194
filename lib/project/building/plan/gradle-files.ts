import { decodeUtf8 } from "../../../core/bytes.ts";
import { attempt } from "../../../core/attempt.ts";
import { readInside } from "../../../editor/files/mod.ts";
import type { Files } from "../../../ports/files.ts";

// The files by which a Gradle build says what it uses. They are read as data, and only inside the project's
// folder, wherever links lead.

/** Maximum bytes of one of these files. */
const MAX_BYTES = 256 * 1024;

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

/** What the files of a Gradle build say. */
export interface GradleFiles {
  /** The folder of the build, below the project's: `android`; empty for the project's own. */
  readonly folder: string;
  /** The texts of the files that are there. */
  readonly texts: ReadonlyMap<GradlePath, string>;
  /** Whether its wrapper's script starts `gradle-wrapper.jar`, and what is there. */
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
    const text = await textInside(files, root, at + path);
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
    ["gradlew", "gradlew.bat"].map((name) => textInside(files, root, at + name)),
  );
  const startsJar = scripts.some((script) => script?.includes("gradle-wrapper.jar"));
  if (!startsJar) return { startsJar, jar: "missing" };
  const jar = `${root}/${at}gradle/wrapper/gradle-wrapper.jar`;
  const head = await attempt(() => files.readRange(jar, 0, 2));
  const bytes = head.ok ? head.value : null;
  const isArchive = bytes?.[0] === 0x50 && bytes[1] === 0x4b; // a pointer of Git LFS is text
  return { startsJar, jar: bytes === null ? "missing" : isArchive ? "there" : "no archive" };
}

/** The text of a file in the project's folder; `null` if there is none that can be read. */
async function textInside(files: Files, root: string, path: string): Promise<string | null> {
  const read = await attempt(() => readInside(files, root, { path, maxBytes: MAX_BYTES }));
  const bytes = read.ok && read.value !== "outside" ? read.value?.bytes : undefined;
  return bytes === undefined ? null : textOf(bytes);
}

/** The text of a file of the user's own; `null` if there is none that can be read. */
export async function readUserFile(
  files: Pick<Files, "read">,
  path: string,
): Promise<string | null> {
  const read = await attempt(() => files.read(path, MAX_BYTES));
  return read.ok && read.value !== null ? textOf(read.value) : null;
}

function textOf(bytes: Uint8Array): string | null {
  return decodeUtf8(bytes)?.replace(/^\ufeff/, "") ?? null;
}
