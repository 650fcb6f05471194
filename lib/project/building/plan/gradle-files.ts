import { attempt } from "../../../core/attempt.ts";
import type { Files } from "../../../ports/files.ts";
import { isNetworkPath } from "../../../programs/mod.ts";
import {
  firstBytes,
  folderPlace,
  isAbsolutePath,
  MAX_TEXT_BYTES,
  propertiesText,
  readProperties,
  readText,
} from "./project-text.ts";

// The files in which a Gradle build states its tools. They are read as data, and only inside the project's
// folder, wherever links lead; once a build was asked for also in the folder of an app that is outside.

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
  "buildSrc/build.gradle",
  "buildSrc/build.gradle.kts",
  "variables.gradle",
  "gradle.properties",
  "local.properties",
] as const;

/** A file of a Gradle build, below its folder. */
export type GradlePath = (typeof PATHS)[number];

/** Texts of the files of a Gradle build. */
export interface GradleFiles {
  /** The folder of the build: below the project's (`android`, empty for the project's own), or absolute. */
  readonly folder: string;
  /** The place for which it was not read; absent if it was. */
  readonly unread?: "outside" | "network";
  /** The texts of the files that exist. */
  readonly texts: ReadonlyMap<GradlePath, string>;
  /** Whether its wrapper's script starts `gradle-wrapper.jar`, and the state of that file. */
  readonly wrapper: {
    readonly startsJar: boolean;
    readonly jar: "there" | "missing" | "no archive";
  };
}

/**
 * Reads the files of a Gradle build.
 *
 * @param root The project's folder, absolute.
 * @param folder That of the build, below the project's, or absolute.
 * @param look.outside Whether a folder outside the project's is read, too.
 */
export async function readGradleFiles(
  files: Files,
  root: string,
  folder: string,
  { outside = false }: { readonly outside?: boolean } = {},
): Promise<GradleFiles> {
  const texts = new Map<GradlePath, string>();
  const own = await ownFolder(files, root, folder);
  if (own === "network" || own === "outside" && !outside) {
    return { folder, unread: own, texts, wrapper: { startsJar: false, jar: "missing" } };
  }
  const [base, at] = own === "outside"
    ? [folderPlace(root, folder), ""] as const
    : [root, folder === "" ? "" : `${folder}/`] as const;
  for (const path of PATHS) {
    const text = path.endsWith(".properties")
      ? await readProperties(files, base, at + path)
      : await readText(files, base, at + path);
    if (text !== null) texts.set(path, text);
  }
  return { folder, texts, wrapper: await wrapperIn(files, base, at) };
}

/** Finds a folder that a project names: a link in the project may lead out of it. */
async function ownFolder(
  files: Files,
  root: string,
  folder: string,
): Promise<"inside" | "outside" | "network"> {
  // Windows would log in at the server of such a path.
  if (isNetworkPath(folder)) return "network";
  const found = await attempt(() =>
    Promise.all([root, folderPlace(root, folder)].map((path) => files.realPath(path)))
  );
  const [base, real] = (found.ok ? found.value : []).map((path) => path?.replaceAll("\\", "/"));
  if (base === undefined || real === undefined) {
    return isAbsolutePath(folder) ? "outside" : "inside";
  }
  return real === base || real.startsWith(`${base}/`) ? "inside" : "outside";
}

/** The archive next to the script, as Gradle's own scripts name it. Others have it elsewhere, or fetch it. */
const STARTS_JAR = /APP_HOME[}%]?["']?[\\/]gradle[\\/]wrapper[\\/]gradle-wrapper\.jar/;

async function wrapperIn(
  files: Files,
  root: string,
  at: string,
): Promise<GradleFiles["wrapper"]> {
  const scripts = await Promise.all(
    ["gradlew", "gradlew.bat"].map((name) => readText(files, root, at + name)),
  );
  const startsJar = STARTS_JAR.test(scripts.find((script) => script !== null) ?? "");
  if (!startsJar) return { startsJar, jar: "missing" };
  const path = `${at}gradle/wrapper/gradle-wrapper.jar`;
  const bytes = await firstBytes(files, root, { path, length: 2 });
  if (bytes === null) return { startsJar, jar: "missing" };
  // A pointer of Git LFS is text. What a link leads to outside the project is not looked at.
  const isArchive = bytes === "outside" || (bytes[0] === 0x50 && bytes[1] === 0x4b);
  return { startsJar, jar: isArchive ? "there" : "no archive" };
}

/** Reads a text of the user's own; `null` if it is missing or unreadable. */
export async function readUserFile(
  files: Pick<Files, "read">,
  path: string,
): Promise<string | null> {
  const read = await attempt(() => files.read(path, MAX_TEXT_BYTES));
  return read.ok && read.value !== null ? propertiesText(read.value) : null;
}
