import { attempt } from "../../../core/attempt.ts";
import { readInside } from "../../../editor/files/mod.ts";
import type { Files } from "../../../ports/files.ts";
import { isNetworkPath } from "../../../programs/mod.ts";
import {
  firstBytes,
  folderPlace,
  isAbsolutePath,
  MAX_TEXT_BYTES,
  propertiesText,
  readText,
  textOf,
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

/** A place that is not the project's. */
type OtherPlace = "outside" | "network";
/** Why a build was not read; `unreadable` for a file that is too large or not UTF-8, or may not be read. */
type WhyUnread = OtherPlace | "unreadable";

/** Texts of the files of a Gradle build. */
export interface GradleFiles {
  /** The folder of the build: below the project's (`android`, empty for the project's own), or absolute. */
  readonly folder: string;
  /** Why it, or a file of it, was not read; absent if all were. */
  readonly unread?: WhyUnread;
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
 * @param look.outside Whether a folder outside the project's is read too, and files outside to which links lead.
 */
export async function readGradleFiles(
  files: Files,
  root: string,
  folder: string,
  { outside = false }: { readonly outside?: boolean } = {},
): Promise<GradleFiles> {
  const texts = new Map<GradlePath, string>();
  const own = await ownFolder(files, root, folder);
  if (own === "network" || own === "outside" && !outside) return unreadBuild(folder, own);
  const [base, at] = own === "outside"
    ? [folderPlace(root, folder), ""] as const
    : [root, folder === "" ? "" : `${folder}/`] as const;
  for (const path of PATHS) {
    const { text, unread } = await readGradleFile(files, base, { path: at + path, outside });
    // Without this file, the others may state something else.
    if (unread !== undefined) return unreadBuild(folder, unread);
    if (text !== null) texts.set(path, text);
  }
  return { folder, texts, wrapper: await wrapperIn(files, base, at) };
}

function unreadBuild(folder: string, unread: WhyUnread): GradleFiles {
  return { folder, unread, texts: new Map(), wrapper: { startsJar: false, jar: "missing" } };
}

/** Reads one file of a build; its text is `null` if it is missing or unread. */
async function readGradleFile(
  files: Files,
  base: string,
  { path, outside }: { readonly path: string; readonly outside: boolean },
): Promise<{ readonly text: string | null; readonly unread?: WhyUnread }> {
  const decode = path.endsWith(".properties") ? propertiesText : textOf;
  const read = await attempt(() => readInside(files, base, { path, maxBytes: MAX_TEXT_BYTES }));
  if (read.ok && read.value === null) return { text: null };
  let bytes: Uint8Array | null = read.ok && read.value !== "outside"
    ? read.value?.bytes ?? null
    : null;
  if (read.ok && read.value === "outside") {
    if (!outside) return { text: null, unread: "outside" };
    const real = await attempt(() => files.realPath(`${base}/${path}`));
    if (!real.ok || real.value === null) return { text: null };
    if (isNetworkPath(real.value)) return { text: null, unread: "network" };
    bytes = await readUserFile(files, real.value);
  }
  const text = bytes === null ? null : decode(bytes);
  return text === null ? { text, unread: "unreadable" } : { text };
}

/** Finds a folder that a project names: a link in the project may lead out of it. */
async function ownFolder(
  files: Files,
  root: string,
  folder: string,
): Promise<"inside" | OtherPlace> {
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

/** Reads a file outside the project; `null` if it is missing or unreadable. */
export async function readUserFile(
  files: Pick<Files, "read">,
  path: string,
): Promise<Uint8Array | null> {
  const read = await attempt(() => files.read(path, MAX_TEXT_BYTES));
  return read.ok ? read.value : null;
}
