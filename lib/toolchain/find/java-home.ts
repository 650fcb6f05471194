import { ok, type Result } from "../../core/result.ts";
import {
  executableAt,
  hostPaths,
  isBatchFile,
  mismatchOf,
  otherMachine,
  otherSystem,
  scrubbedEnvironment,
} from "../../programs/mod.ts";
import type { DirectoryDescriptor } from "../tools/descriptor.ts";
import { JAVA_PROBE, REQUIRED_JAVA_MAJOR } from "../tools/java.ts";
import {
  isImageRelease,
  javaMajor,
  parseJavaRelease,
  releaseMember,
  sameVersion,
} from "../tools/versions.ts";
import type { Platform } from "../work/ports.ts";
import { realPath } from "./places.ts";
import {
  askVersion,
  besidePin,
  factFile,
  programIn,
  type Rejected,
  rejected,
  type ValidateContext,
  type Validated,
} from "./validation.ts";

// A JDK counts once it has run here (FIND-9): a complete one may be built for another machine.

/** Looks into a folder that has `bin/java`: what it is built for, what it says when it is run. */
export async function validateJavaHome(
  home: string,
  descriptor: DirectoryDescriptor,
  context: ValidateContext,
): Promise<Result<Validated, Rejected>> {
  const looked = await lookAt(home, context);
  if (!looked.ok) return looked;
  // A machine may have ten of them: one whose file shows another version is not started.
  const stated = looked.value.release === null ? null : parseJavaRelease(looked.value.release);
  const other = stated === null ? null : otherMajor(stated);
  if (other !== null) return rejected(other);
  const ran = await runJava({ home, java: looked.value.java }, context);
  return ran.ok ? await judge({ ...ran.value, from: home }, descriptor, context) : ran;
}

/**
 * Asks a `java` on PATH outside any Java home, such as the shim of a version manager, for the home that it
 * starts.
 */
export async function validateJavaShim(
  java: string,
  descriptor: DirectoryDescriptor,
  context: ValidateContext,
): Promise<Result<Validated, Rejected>> {
  const ran = await runJava({ home: null, java }, context);
  return ran.ok ? await judge({ ...ran.value, from: java }, descriptor, context) : ran;
}

async function judge(
  { home, version, release, from }: RunJava & { readonly from: string },
  { pin }: DirectoryDescriptor,
  context: ValidateContext,
): Promise<Result<Validated, Rejected>> {
  const wrong = otherMajor(version) ?? await whyNoCompiler(home, { version, release }, context);
  const where = home === from ? "" : `, which runs from ${home}`;
  if (wrong !== null) return rejected(`${wrong}${where}`);
  const reason = `taken: JDK ${version}${besidePin(version, pin)}${where}`;
  return ok({ version, reason, home });
}

/**
 * Looks into a Java home that a project names. The required version is not enforced. A project comes
 * from anywhere: nothing of it is run before a build of it was started.
 *
 * @param options.runs Whether a build was.
 */
export async function validateNamedJava(
  named: string,
  { runs }: { readonly runs: boolean },
  context: ValidateContext,
): Promise<Result<Validated, Rejected>> {
  const looked = await lookAt(named, context);
  if (!looked.ok) return looked;
  const { release, java } = looked.value;
  if (runs) {
    const ran = await runJava({ home: named, java }, context);
    if (!ran.ok) return ran;
    const { home, version } = ran.value;
    const wrong = await whyNoCompiler(home, ran.value, context);
    return wrong === null
      ? ok({ version, home, reason: `taken: the project names it (JDK ${version})` })
      : rejected(wrong);
  }
  const version = release === null ? null : parseJavaRelease(release);
  // Only running a wrapper shows which Java it starts.
  const isImage = release !== null && isImageRelease(release);
  const wrong = isImage || programIn(named, "bin/javac", context) !== null
    ? await whyNoCompiler(named, { version, release }, context)
    : null;
  if (wrong !== null) return rejected(wrong);
  return ok(
    version === null
      ? { reason: "taken: the project names it (its version is not told without running it)" }
      : { version, reason: `taken: the project names it (JDK ${version})` },
  );
}

/** Reads its files; fails if they show that it cannot start here. Runs nothing. */
async function lookAt(
  home: string,
  context: ValidateContext,
): Promise<Result<{ readonly release: string | null; readonly java: string }, Rejected>> {
  const { host, syncStat } = context;
  const java = programIn(home, "bin/java", context);
  if (java === null) return rejected("it has no bin/java");
  const program = isBatchFile(java, host.platform) ? null : await executableAt(java, context);
  const mismatch = program === null ? null : mismatchOf(program, host, syncStat);
  if (mismatch?.certain) return rejected(`it does not start: ${mismatch.reason}`);
  const release = await factFile(home, "release", context);
  const stated = release === null ? null : releaseMismatch(release, context);
  return stated === null ? ok({ release, java }) : rejected(`it does not start: ${stated}`);
}

/** Names of systems and machines in a `release` file. */
const RELEASE_SYSTEMS: Readonly<Record<string, Platform>> = {
  Linux: "linux",
  Darwin: "darwin",
  "Mac OS X": "darwin",
  Windows: "win32",
};
const RELEASE_MACHINES: Readonly<Record<string, string>> = {
  x86_64: "x64",
  amd64: "x64",
  x64: "x64",
  aarch64: "aarch64",
  arm64: "aarch64",
};

/** Returns why a JDK with this `release` file cannot start here, or `null`. */
function releaseMismatch(release: string, { host }: ValidateContext): string | null {
  const system = RELEASE_SYSTEMS[releaseMember(release, "OS_NAME") ?? ""];
  const machine = RELEASE_MACHINES[releaseMember(release, "OS_ARCH") ?? ""];
  const says = "(its release file says so)";
  if (system !== undefined && system !== host.platform) {
    return `${otherSystem(system, host.platform)} ${says}`;
  }
  const mismatch = machine === undefined ? null : otherMachine([machine], host);
  return mismatch?.certain ? `${mismatch.reason} ${says}` : null;
}

/** A Java that has run. */
interface RunJava {
  /** The folder that it reports as its home, under the path where it was found if both are the same. */
  readonly home: string;
  readonly version: string;
  readonly release: string | null;
}

/**
 * Runs `java -version`, which also reports the Java home; adds the build number of the `release` file there
 * if that has the same version.
 *
 * @param found.home The folder in which it was found; `null` for a shim.
 */
async function runJava(
  { home: found, java }: { readonly home: string | null; readonly java: string },
  context: ValidateContext,
): Promise<Result<RunJava, Rejected>> {
  const env = scrubbedEnvironment(context.host.environment());
  const beside = found === null ? null : await factFile(found, "release", context);
  const asked = await askVersion(
    { path: java, spec: JAVA_PROBE, env, beside: beside ?? "" },
    context,
  );
  if (!asked.ok) return asked;
  const home = await homeOf(found, asked.value.home, context);
  if (home === null) return rejected("it does not say where its Java home is");
  const release = home === found ? beside : await factFile(home, "release", context);
  const stated = release === null ? null : parseJavaRelease(release);
  const { version } = asked.value;
  return ok({
    home,
    release,
    version: stated !== null && sameVersion(version, stated) ? stated : version,
  });
}

/** Returns the home that a Java reports, under the path where it was found if both are one folder. */
async function homeOf(
  found: string | null,
  stated: string | undefined,
  context: ValidateContext,
): Promise<string | null> {
  const { paths } = context.folder;
  if (stated === undefined || !paths.isAbsolute(stated)) return found;
  // Java 8 runs from the JRE that is in it.
  const outer = paths.name(stated) === "jre" ? paths.parent(stated) : stated;
  const home = programIn(outer, "bin/javac", context) === null ? stated : outer;
  if (found === null) return home;
  const [own, other] = await Promise.all([found, home].map((each) => realPath(each, context)));
  return own === other ? found : home;
}

function otherMajor(version: string): string | null {
  return javaMajor(version) === REQUIRED_JAVA_MAJOR
    ? null
    : `it is JDK ${version}, expected ${REQUIRED_JAVA_MAJOR}`;
}

/**
 * Returns why a Java home cannot compile, or `null`. Distributions ship the same `release` file with a JRE, so
 * that only the compiler's program decides.
 */
async function whyNoCompiler(
  home: string,
  { version, release }: { readonly version: string | null; readonly release: string | null },
  context: ValidateContext,
): Promise<string | null> {
  const { host, syncStat } = context;
  const javac = programIn(home, "bin/javac", context);
  if (javac === null) {
    const hasCompiler = syncStat(hostPaths(host.platform).join(home, "bin/javac")).kind === "file";
    if (hasCompiler) return "its bin/javac may not be executed";
    const isImage = release !== null && isImageRelease(release);
    const what = isImage ? "it is a JRE" : "it is Java";
    return `${what}${version === null ? "" : ` ${version}`} without bin/javac, expected a JDK`;
  }
  const program = isBatchFile(javac, host.platform) ? null : await executableAt(javac, context);
  const mismatch = program === null ? null : mismatchOf(program, host, syncStat);
  return mismatch?.certain ? `its bin/javac does not start: ${mismatch.reason}` : null;
}
