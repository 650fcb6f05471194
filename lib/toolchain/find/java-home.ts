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
import {
  ask,
  besidePin,
  factFile,
  programIn,
  type Rejected,
  rejected,
  type ValidateContext,
  type Validated,
} from "./validation.ts";

// A JDK counts when it has run here (FIND-9): one that is whole may be built for another machine.

/** Looks into a folder that has `bin/java`: what it is built for, what it says when it is run. */
export async function validateJavaHome(
  home: string,
  descriptor: DirectoryDescriptor,
  context: ValidateContext,
): Promise<Result<Validated, Rejected>> {
  const looked = await lookAt(home, context);
  if (!looked.ok) return looked;
  const { release } = looked.value;
  // A machine may have ten of them: none is started that tells by itself that it is another.
  const told = release === null ? null : parseJavaRelease(release);
  const other = told === null ? null : otherMajor(told);
  if (other !== null) return rejected(other);
  const asked = await runJava(home, release, context);
  if (!asked.ok) return asked;
  const version = asked.value;
  const wrong = otherMajor(version) ?? await whyNoCompiler(home, { version, release }, context);
  if (wrong !== null) return rejected(wrong);
  return ok({ version, reason: `taken: JDK ${version}${besidePin(version, descriptor.pin)}` });
}

/**
 * Looks into a Java home that a project names. The required version is not enforced. A project comes
 * from anywhere: nothing of it is run before a build of it was started.
 *
 * @param options.runs Whether a build was.
 */
export async function validateNamedJava(
  home: string,
  { runs }: { readonly runs: boolean },
  context: ValidateContext,
): Promise<Result<Validated, Rejected>> {
  const looked = await lookAt(home, context);
  if (!looked.ok) return looked;
  const { release } = looked.value;
  const asked = runs ? await runJava(home, release, context) : null;
  if (asked?.ok === false) return asked;
  const version = asked?.value ?? (release === null ? null : parseJavaRelease(release));
  const wrong = await whyNoCompiler(home, { version, release }, context);
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
): Promise<Result<{ readonly release: string | null }, Rejected>> {
  const { host, syncStat } = context;
  const java = programIn(home, "bin/java", context);
  if (java === null) return rejected("it has no bin/java");
  const program = isBatchFile(java, host.platform) ? null : await executableAt(java, context);
  const mismatch = program === null ? null : mismatchOf(program, host, syncStat);
  if (mismatch?.certain) return rejected(`it does not start: ${mismatch.reason}`);
  const release = await factFile(home, "release", context);
  const told = release === null ? null : releaseMismatch(release, context);
  return told === null ? ok({ release }) : rejected(`it does not start: ${told}`);
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

/** Why a JDK with this `release` file cannot start here, or `null`. */
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

/** Runs `java -version`; adds the build number of the `release` file if that has the same version. */
async function runJava(
  home: string,
  release: string | null,
  context: ValidateContext,
): Promise<Result<string, Rejected>> {
  const java = programIn(home, "bin/java", context);
  if (java === null) return rejected("it has no bin/java");
  const env = scrubbedEnvironment(context.host.environment());
  const asked = await ask(
    { path: java, spec: JAVA_PROBE, env, beside: release ?? "" },
    context,
  );
  const told = release === null ? null : parseJavaRelease(release);
  return asked.ok && told !== null && sameVersion(asked.value, told) ? ok(told) : asked;
}

function otherMajor(version: string): string | null {
  return javaMajor(version) === REQUIRED_JAVA_MAJOR
    ? null
    : `it is JDK ${version}, expected ${REQUIRED_JAVA_MAJOR}`;
}

/**
 * Why a Java home cannot compile, or `null`. Distributions ship one `release` file for both, so that
 * the compiler's program decides; a folder that is not a whole image (somebody's wrapper) is believed.
 */
async function whyNoCompiler(
  home: string,
  { version, release }: { readonly version: string | null; readonly release: string | null },
  context: ValidateContext,
): Promise<string | null> {
  const { host, syncStat } = context;
  const javac = programIn(home, "bin/javac", context);
  if (javac === null) {
    const isThere = syncStat(hostPaths(host.platform).join(home, "bin/javac")).kind === "file";
    if (isThere) return "its bin/javac may not be executed";
    return release !== null && isImageRelease(release)
      ? `it is a JRE${version === null ? "" : ` ${version}`} without bin/javac, expected a JDK`
      : null;
  }
  const program = isBatchFile(javac, host.platform) ? null : await executableAt(javac, context);
  const mismatch = program === null ? null : mismatchOf(program, host, syncStat);
  return mismatch?.certain ? `its bin/javac does not start: ${mismatch.reason}` : null;
}
