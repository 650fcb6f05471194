import { ok, type Result } from "../core/result.ts";
import type { DirectoryDescriptor } from "./descriptor.ts";
import { JAVA_PROBE, REQUIRED_JAVA_MAJOR } from "./descriptors.ts";
import { executableAt, misfitOf, otherMachine, otherSystem } from "./executable.ts";
import type { Platform } from "./ports.ts";
import { scrubbedEnvironment } from "./probe.ts";
import { isBatchFile } from "./spawnable.ts";
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
import {
  isImageRelease,
  javaMajor,
  parseJavaRelease,
  releaseMember,
  sameVersion,
} from "./versions.ts";

// A JDK counts when it has run here (CONTRACTS §3): one that is whole may be built for another machine.

/** Looks into a folder that has `bin/java`: what it is built for, what it says when it is run. */
export async function validateJavaHome(
  home: string,
  descriptor: DirectoryDescriptor,
  context: ValidateContext,
): Promise<Result<Validated, Rejected>> {
  const looked = await lookAt(home, context);
  if (!looked.ok) return looked;
  const { release } = looked.value;
  const asked = await runJava(home, release, context);
  if (!asked.ok) return asked;
  const version = asked.value;
  if (javaMajor(version) !== REQUIRED_JAVA_MAJOR) {
    return rejected(`it is JDK ${version}, expected ${REQUIRED_JAVA_MAJOR}`);
  }
  if (isRuntimeOnly(home, release, context)) {
    return rejected(`it is a JRE ${version} without bin/javac, expected a JDK`);
  }
  return ok({ version, reason: `taken: JDK ${version}${besidePin(version, descriptor.pin)}` });
}

/**
 * Looks into a Java home that a project names. The required version is not enforced. A project comes
 * from anywhere: nothing of it is run before a build of it was started.
 *
 * @param runs Whether a build was.
 */
export async function validateNamedJava(
  home: string,
  { runs, ...context }: ValidateContext & { readonly runs: boolean },
): Promise<Result<Validated, Rejected>> {
  const looked = await lookAt(home, context);
  if (!looked.ok) return looked;
  const { release } = looked.value;
  const asked = runs ? await runJava(home, release, context) : null;
  if (asked?.ok === false) return asked;
  const version = asked?.value ?? (release === null ? null : parseJavaRelease(release));
  return ok(
    version === null
      ? { reason: "taken: the project names it (its version is not told without running it)" }
      : { version, reason: `taken: the project names it (JDK ${version})` },
  );
}

/** What its files say, or why it cannot start here. Nothing is run. */
async function lookAt(
  home: string,
  context: ValidateContext,
): Promise<Result<{ readonly release: string | null }, Rejected>> {
  const { host, syncStat } = context;
  const java = programIn(home, "bin/java", context);
  if (java === null) return rejected("it has no bin/java");
  const program = isBatchFile(java, host.platform) ? null : await executableAt(java, context);
  const misfit = program === null ? null : misfitOf(program, host, syncStat);
  if (misfit?.certain) return rejected(`it does not start: ${misfit.reason}`);
  const release = await factFile(home, "release", context);
  const told = release === null ? null : releaseMisfit(release, context);
  return told === null ? ok({ release }) : rejected(`it does not start: ${told}`);
}

/** What a `release` file calls systems and machines. */
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
function releaseMisfit(release: string, { host }: ValidateContext): string | null {
  const system = RELEASE_SYSTEMS[releaseMember(release, "OS_NAME") ?? ""];
  const machine = RELEASE_MACHINES[releaseMember(release, "OS_ARCH") ?? ""];
  const says = "(its release file says so)";
  if (system !== undefined && system !== host.platform) {
    return `${otherSystem(system, host.platform)} ${says}`;
  }
  const misfit = machine === undefined ? null : otherMachine([machine], host);
  return misfit?.certain ? `${misfit.reason} ${says}` : null;
}

/** What `java -version` tells; with the build number of the `release` file where that is of the same. */
async function runJava(
  home: string,
  release: string | null,
  context: ValidateContext,
): Promise<Result<string, Rejected>> {
  const java = programIn(home, "bin/java", context);
  if (java === null) return rejected("it has no bin/java");
  const env = scrubbedEnvironment(context.host.environment());
  const asked = await ask(java, JAVA_PROBE, { ...context, env, beside: release ?? "" });
  const told = release === null ? null : parseJavaRelease(release);
  return asked.ok && told !== null && sameVersion(asked.value, told) ? ok(told) : asked;
}

/**
 * Whether a Java home cannot compile. Distributions ship one `release` file for both, so that the
 * compiler is missing decides; a folder that is no whole image (somebody's wrapper) is believed.
 */
function isRuntimeOnly(home: string, release: string | null, context: ValidateContext): boolean {
  const compiles = programIn(home, "bin/javac", context) !== null;
  return !compiles && release !== null && isImageRelease(release);
}
