import { ok, type Result } from "../core/result.ts";
import { joinPath } from "./host-paths.ts";
import { ANDROID_LICENCE } from "./install/licences.ts";
import { ANDROID_PACKAGES } from "./install/recipes/android-layout.ts";
import { PINNED_VERSIONS } from "./pins.ts";
import { childFolders, newestFirst } from "./places.ts";
import { parsePackageRevision } from "./versions.ts";
import {
  factFile,
  programIn,
  type Rejected,
  rejected,
  type ValidateContext,
  type Validated,
} from "./validation.ts";

// Whether an Android SDK can build: Gradle finds out only after the web build, and then at length.

/** The platform that a project compiles with unless it says otherwise (spec §8). */
export const DEFAULT_COMPILE_SDK: number = Number(PINNED_VERSIONS.platform);

/** From this version of the command-line tools on, `sdkmanager` ends well and does nothing. */
const LAST_SDKMANAGER = 22;

const LICENCE_PART = `licence ${ANDROID_LICENCE.id}`;

/** A package that is not there as it should be. */
interface Lack {
  /** As `sdkmanager` names it. */
  readonly name: string;
  /** What is there in its place, as the end of a sentence; the package manager would leave it so. */
  readonly found?: string;
}

/** Looks into a folder that has `platform-tools`: an SDK that can build nothing is none (CONTRACTS §3). */
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
 * The platform of the project; build tools of that level, or of the newest that a build asks for by
 * itself (the Android Gradle plugin 9 wants 36.0.0 with whatever platform), or newer; the licence under
 * which all of them come, by which Gradle may fetch what it wants besides.
 */
async function lackingParts(folder: string, context: ValidateContext): Promise<readonly Lack[]> {
  const { compileSdk = DEFAULT_COMPILE_SDK } = context;
  const licence = await factFile(folder, `licenses/${ANDROID_LICENCE.id}`, context);
  const accepted = licence?.split(/\s+/).includes(ANDROID_LICENCE.hash) === true;
  return [
    platformLack(folder, compileSdk, context),
    await buildToolsLack(folder, Math.min(compileSdk, DEFAULT_COMPILE_SDK), context),
    accepted ? null : { name: LICENCE_PART },
  ].filter((lack) => lack !== null);
}

function platformLack(
  folder: string,
  level: number,
  { host: { platform }, syncStat }: ValidateContext,
): Lack | null {
  const name = `platforms;android-${level}`;
  const at = (path: string) => joinPath(folder, `platforms/android-${level}${path}`, platform);
  const jar = syncStat(at("/android.jar"));
  if (jar.kind === "file" && jar.size > 0) return null;
  return syncStat(at("")).kind === "directory"
    ? { name, found: jar.kind === "missing" ? "it has no android.jar" : "its android.jar is empty" }
    : { name };
}

async function buildToolsLack(
  folder: string,
  level: number,
  context: ValidateContext,
): Promise<Lack | null> {
  const { platform } = context.host;
  const versions = await childFolders(joinPath(folder, "build-tools", platform), context);
  // A preview (`37.0.0-rc1`) is for those who ask for it by name.
  const fitting = versions.filter((name) => /^\d+[\d.]*$/.test(name) && parseInt(name) >= level);
  const works = fitting.some((name) => programIn(folder, `build-tools/${name}/aapt2`, context));
  if (works) return null;
  const version = `${level}.0.0`;
  const name = `build-tools;${version}`;
  if (!fitting.includes(version)) return { name };
  const aapt2 = context.syncStat(joinPath(folder, `build-tools/${version}/aapt2`, platform));
  const found = aapt2.kind === "file" ? "its aapt2 may not be executed" : "it has no aapt2";
  return { name, found };
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

/** The package manager of the newest command-line tools in an SDK whose one still does something. */
async function sdkManagerOf(folder: string, context: ValidateContext): Promise<string | null> {
  const base = joinPath(folder, "cmdline-tools", context.host.platform);
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
