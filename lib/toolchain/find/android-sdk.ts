import { ok, type Result } from "../../core/result.ts";
import { executableAt, isNoProgram } from "../../programs/mod.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import { ANDROID_LICENCE, ANDROID_PACKAGES } from "../tools/android-packages.ts";
import { parsePackageRevision } from "../tools/versions.ts";
import { childFolders, newestFirst } from "./places.ts";
import {
  factFile,
  programIn,
  type Rejected,
  rejected,
  type ValidateContext,
  type Validated,
} from "./validation.ts";

// Whether an Android SDK can build: Gradle finds out only after the web build, and then at length.

/** The platform that a project compiles with unless it says otherwise (FIND-10). */
export const DEFAULT_COMPILE_SDK: number = Number(PINNED_VERSIONS.platform);

/** From this version of the command-line tools on, `sdkmanager` ends well and does nothing. */
const LAST_SDKMANAGER = 22;

const LICENCE_PART = `licence ${ANDROID_LICENCE.id}`;

/** A package that is not there as it should be. */
interface Lack {
  /** Name of the package for `sdkmanager`. */
  readonly name: string;
  /** Content of its place, as the end of a sentence; the package manager would keep that. */
  readonly found?: string;
}

/** Judges a folder that has `platform-tools`: an SDK that cannot build does not count (FIND-10). */
export async function validateAndroidSdk(
  folder: string,
  context: ValidateContext,
): Promise<Result<Validated, Rejected>> {
  const properties = await factFile(folder, "platform-tools/source.properties", context);
  const version = properties === null ? null : parsePackageRevision(properties);
  const lacks = await lackingParts(folder, context);
  if (lacks.length > 0) {
    const parts = lacks.map(({ name, found }) => found === undefined ? name : `${name} (${found})`);
    return rejected(`it lacks ${listed(parts)}`, await remedyFor(folder, lacks, context));
  }
  return ok(
    version === null
      ? { reason: "taken: it can build" }
      : { version, reason: `taken: platform-tools ${version}` },
  );
}

/** Refuses a folder without `platform-tools`, for whatever else it lacks, too. */
export async function refuseUnmarked(
  folder: string,
  message: string,
  context: ValidateContext,
): Promise<Result<never, Rejected>> {
  const lacks = [{ name: "platform-tools" }, ...await lackingParts(folder, context)];
  return rejected(message, await remedyFor(folder, lacks, context));
}

/**
 * Finds the missing parts of an SDK: the platform of the project; build tools; and the licence of both, with
 * which Gradle may fetch further packages. The build tools are those that the project's build takes. If these
 * are not known, any count that are of the platform's level, of the newest level that a build takes by default
 * (36.0.0 of the Android Gradle plugin 9, with every platform), or newer. If the level of the project is not known,
 * any platform and any build tools count.
 */
async function lackingParts(folder: string, context: ValidateContext): Promise<readonly Lack[]> {
  const { compileSdk = DEFAULT_COMPILE_SDK } = context;
  const licence = await factFile(folder, `licenses/${ANDROID_LICENCE.id}`, context);
  const accepted = licence?.split(/\s+/).includes(ANDROID_LICENCE.hash) === true;
  const isKnown = compileSdk !== "unknown";
  const level = isKnown ? compileSdk : DEFAULT_COMPILE_SDK;
  const own = Math.min(Math.floor(level), DEFAULT_COMPILE_SDK);
  return [
    !isKnown && await hasPlatform(folder, context) ? null : platformLack(folder, level, context),
    await buildToolsLack(folder, { level: own, least: isKnown ? own : 0 }, context),
    accepted ? null : { name: LICENCE_PART },
  ].filter((lack) => lack !== null);
}

/** From this level on the packages of platforms are named with a minor level: there is no bare one. */
const FIRST_WITH_MINOR = 37;

function platformLack(
  folder: string,
  level: number,
  { folder: { paths }, syncStat }: ValidateContext,
): Lack | null {
  const bare = `android-${level}`;
  const published = level >= FIRST_WITH_MINOR && Number.isInteger(level) ? `${bare}.0` : bare;
  const at = (path: string) => paths.join(folder, `platforms/${path}`);
  // A bare one there is somebody's link, for Gradle plugins that look for no other.
  const there = [published, bare].find((name) => syncStat(at(name)).kind === "directory");
  const name = `platforms;${published}`;
  if (there === undefined) return { name };
  const jar = syncStat(at(`${there}/android.jar`));
  if (jar.kind === "file" && jar.size > 0) return null;
  return {
    name,
    found: jar.kind === "missing" ? "it has no android.jar" : "its android.jar is empty",
  };
}

/** Whether an SDK has any platform to compile with. */
async function hasPlatform(folder: string, context: ValidateContext): Promise<boolean> {
  const names = await childFolders(context.folder.paths.join(folder, "platforms"), context);
  const levels = names.map((name) => Number(/^android-(\d+(?:\.\d+)?)$/.exec(name)?.[1]));
  return levels.some((level) => level > 0 && platformLack(folder, level, context) === null);
}

/**
 * Finds out whether an SDK lacks build tools.
 *
 * @param wanted.level The level of those that are named if they are missing.
 * @param wanted.least The oldest level of those that count.
 */
async function buildToolsLack(
  folder: string,
  { level, least }: { readonly level: number; readonly least: number },
  context: ValidateContext,
): Promise<Lack | null> {
  const { paths } = context.folder;
  const versions = await childFolders(paths.join(folder, "build-tools"), context);
  // A preview (`37.0.0-rc1`) is for those who ask for it by name.
  const fits = (name: string) => /^\d+[\d.]*$/.test(name) && parseInt(name) >= least;
  const fitting = versions.filter((name) => name === context.buildTools || fits(name));
  const version = context.buildTools ?? `${level}.0.0`;
  const name = `build-tools;${version}`;
  let own: Lack = { name };
  for (const each of fitting) {
    const found = await aapt2Fault(folder, `build-tools/${each}/aapt2`, context);
    if (found === null) return null;
    if (each === version) own = { name, found };
  }
  return own;
}

/** Finds a fault of aapt2. Its machine is not checked, as Gradle brings its own. */
async function aapt2Fault(
  folder: string,
  path: string,
  context: ValidateContext,
): Promise<string | null> {
  const program = programIn(folder, path, context);
  if (program === null) {
    const found = context.syncStat(context.folder.paths.join(folder, path)).kind;
    return found === "file" ? "its aapt2 may not be executed" : "it has no aapt2";
  }
  const file = await executableAt(program, context);
  if (file === null || !isNoProgram(file)) return null;
  return file.kind === "empty" ? "its aapt2 is an empty file" : "its aapt2 is not a program";
}

/** Whether installing the editor's own SDK brings a part, as `lacks` names it. */
export function isProvided(part: string): boolean {
  return part === LICENCE_PART || ANDROID_PACKAGES.some(({ path }) => path === part);
}

async function remedyFor(
  folder: string,
  lacks: readonly Lack[],
  context: ValidateContext,
): Promise<Pick<Rejected, "lacks" | "remedy">> {
  const names = lacks.map(({ name }) => name);
  const isHollow = lacks.some(({ found }) => found !== undefined);
  const program = isHollow ? null : await sdkManagerOf(folder, context);
  return { lacks: names, ...(program !== null && { remedy: { kind: "sdkmanager", program } }) };
}

/** Finds the newest package manager of an SDK that still installs packages. */
export async function sdkManagerOf(
  folder: string,
  context: ValidateContext,
): Promise<string | null> {
  const base = context.folder.paths.join(folder, "cmdline-tools");
  const names = newestFirst(await childFolders(base, context));
  for (const name of ["latest", ...names.filter((name) => name !== "latest")]) {
    const tools = `cmdline-tools/${name}`;
    const program = programIn(folder, `${tools}/bin/sdkmanager`, context);
    const properties = await factFile(folder, `${tools}/source.properties`, context);
    const revision = properties === null ? null : parsePackageRevision(properties);
    if (program !== null && parseInt(revision ?? "0") <= LAST_SDKMANAGER) return program;
  }
  return null;
}

function listed(parts: readonly string[]): string {
  return parts.length < 2
    ? parts.join("")
    : `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}`;
}
