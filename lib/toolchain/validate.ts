import { ok, type Result } from "../core/result.ts";
import { refuseUnmarked, validateAndroidSdk } from "./android-sdk.ts";
import type { BinaryDescriptor, DirectoryDescriptor, OwnRuntime } from "./descriptor.ts";
import { type Candidate, hasMarker } from "./candidates.ts";
import { JAVA_PROBE, REQUIRED_JAVA_MAJOR } from "./descriptors.ts";
import { joinPath, lastSegment } from "./host-paths.ts";
import { expandPlaces } from "./places.ts";
import { scrubbedEnvironment, withFolders } from "./probe.ts";
import { isImageRelease, javaMajor, parseJavaRelease } from "./versions.ts";
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

/** Asks a program for its version. Our own runs on our own runtime where that is installed. */
export async function validateBinary(
  candidate: Candidate,
  descriptor: BinaryDescriptor,
  context: ValidateContext,
): Promise<Result<Validated, Rejected>> {
  const env = scrubbedEnvironment(context.host.environment());
  const answer = await ask(candidate.path, descriptor.probe, {
    ...context,
    env: candidate.source === "own"
      ? await ownRuntimeEnv(env, descriptor.ownRuntime, context)
      : env,
  });
  if (!answer.ok) return answer;
  const program = descriptor.names.length > 1
    ? `${lastSegment(candidate.path, context.host.platform)} `
    : "";
  return ok({
    version: answer.value,
    reason: `taken: ${program}${answer.value}${besidePin(answer.value, descriptor.pin)}`,
  });
}

/** Looks into a folder: its marker, then what its kind asks for (spec §4.8, rules 2 and 4). */
export async function validateDirectory(
  folder: string,
  descriptor: DirectoryDescriptor,
  context: ValidateContext,
): Promise<Result<Validated, Rejected>> {
  const marked = checkMarker(folder, descriptor, context);
  if (descriptor.validate === "android-sdk") {
    return marked.ok
      ? await validateAndroidSdk(folder, context)
      : await refuseUnmarked(folder, marked.error.message, context);
  }
  if (!marked.ok) return marked;
  const java = await javaVersion(folder, context);
  if (!java.ok) return java;
  if (javaMajor(java.value) !== REQUIRED_JAVA_MAJOR) {
    return rejected(`it is JDK ${java.value}, expected ${REQUIRED_JAVA_MAJOR}`);
  }
  if (await isRuntimeOnly(folder, context)) {
    return rejected(`it is a JRE ${java.value} without bin/javac, expected a JDK`);
  }
  const taken = `taken: JDK ${java.value}${besidePin(java.value, descriptor.pin)}`;
  return ok({ version: java.value, reason: taken });
}

/** Whether a folder holds what makes it the tool, or what is there in its place. */
export function checkMarker(
  folder: string,
  descriptor: DirectoryDescriptor,
  context: ValidateContext,
): Result<null, Rejected> {
  return hasMarker(folder, descriptor, context)
    ? ok(null)
    : rejected(whyNoMarker(folder, descriptor, context));
}

/** What is there in place of the marker: who mends it must not look for what is there. */
function whyNoMarker(
  folder: string,
  { marker }: DirectoryDescriptor,
  { host, syncStat }: ValidateContext,
): string {
  const found = syncStat(joinPath(folder, marker.path, host.platform)).kind;
  if (found === "missing") return `it has no ${marker.path}`;
  if (marker.kind === "directory") return `its ${marker.path} is not a folder`;
  return found === "directory"
    ? `its ${marker.path} is a folder, expected a program`
    : `its ${marker.path} may not be executed`;
}

/**
 * Whether a Java home cannot compile. Distributions ship one `release` file for both, so that the
 * compiler is missing decides; a folder that is no whole image (somebody's wrapper) is believed.
 */
async function isRuntimeOnly(home: string, context: ValidateContext): Promise<boolean> {
  if (programIn(home, "bin/javac", context) !== null) return false;
  const release = await factFile(home, "release", context);
  return release !== null && isImageRelease(release);
}

/** The version of a JDK as its `release` file tells it, or `null`. Nothing is run. */
export async function toldJavaVersion(
  home: string,
  context: ValidateContext,
): Promise<string | null> {
  const release = await factFile(home, "release", context);
  return release === null ? null : parseJavaRelease(release);
}

/** The version of a JDK from its `release` file; where that says nothing, from `bin/java`. */
async function javaVersion(
  home: string,
  context: ValidateContext,
): Promise<Result<string, Rejected>> {
  const { host } = context;
  const told = await toldJavaVersion(home, context);
  if (told !== null) return ok(told);
  const java = programIn(home, "bin/java", context);
  if (java === null) return rejected("it has no bin/java");
  return await ask(java, JAVA_PROBE, {
    ...context,
    env: scrubbedEnvironment(host.environment()),
  });
}

/** `env` with what the editor's own copy of a tool needs around it. */
export async function ownRuntimeEnv(
  env: Readonly<Record<string, string>>,
  runtime: OwnRuntime | undefined,
  context: Pick<ValidateContext, "files" | "host" | "syncStat" | "toolchainDir">,
): Promise<Record<string, string>> {
  if (runtime === undefined) return { ...env };
  const { toolchainDir, syncStat, host } = context;
  const folders = (await expandPlaces(runtime.path, toolchainDir, context))
    .filter((folder) => syncStat(folder).kind === "directory");
  const variables = Object.entries(runtime.env ?? {})
    .map(([name, folder]) => [name, joinPath(toolchainDir, folder, host.platform)]);
  return { ...withFolders(env, folders, host.platform), ...Object.fromEntries(variables) };
}
