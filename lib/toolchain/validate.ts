import { decodeUtf8 } from "../core/bytes.ts";
import { fail, type Failure, messageOf, ok, type Result } from "../core/result.ts";
import type { BinaryDescriptor, DirectoryDescriptor, OwnRuntime, ProbeSpec } from "./descriptor.ts";
import { type Candidate, hasMarker } from "./candidates.ts";
import { JAVA_PROBE, REQUIRED_JAVA_MAJOR } from "./descriptors.ts";
import { joinPath, lastSegment } from "./host-paths.ts";
import { expandPlaces } from "./places.ts";
import type { ToolchainDeps } from "./ports.ts";
import { probe, scrubbedEnvironment, withFolders } from "./probe.ts";
import type { ProbeCache } from "./probe-cache.ts";
import {
  isImageRelease,
  javaMajor,
  parseJavaRelease,
  parsePackageRevision,
  sameVersion,
} from "./versions.ts";
import { programAt } from "./which.ts";

/** What looking into a candidate needs. */
export interface ValidateContext extends Omit<ToolchainDeps, "clock"> {
  readonly toolchainDir: string;
  readonly cache: ProbeCache;
  /** Ends the programs that are asked, unless others wait for them too. */
  readonly signal?: AbortSignal | undefined;
}

/** A candidate that is the tool. */
export interface Validated {
  readonly version?: string;
  /** Why it was taken. */
  readonly reason: string;
}

/** Why a candidate is not the tool; the message is a sentence part. */
export type Rejected = Failure<"rejected">;

/** Enough for a JDK's `release` file and an Android `source.properties`, in bytes. */
const MAX_FACT_FILE = 64 * 1024;

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
  if (!marked.ok) return marked;
  if (descriptor.validate === "android-sdk") {
    const version = await androidVersion(folder, context);
    return ok(
      version === null
        ? { reason: "taken: it has platform-tools" }
        : { version, reason: `taken: platform-tools ${version}` },
    );
  }
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
  if (marker.kind === "directory") return `its ${marker.path} is no folder`;
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
  const release = await factFile(joinPath(home, "release", context.host.platform), context);
  return release !== null && isImageRelease(release);
}

/** The version of a JDK as its `release` file tells it, or `null`. Nothing is run. */
export async function toldJavaVersion(
  home: string,
  context: ValidateContext,
): Promise<string | null> {
  const release = await factFile(joinPath(home, "release", context.host.platform), context);
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

/** The program at `relative` in a folder, by any of its extensions; or `null`. */
export function programIn(
  folder: string,
  relative: string,
  { host: { platform }, syncStat }: Pick<ValidateContext, "host" | "syncStat">,
): string | null {
  return programAt(joinPath(folder, relative, platform), { platform, env: {}, stat: syncStat });
}

async function androidVersion(folder: string, context: ValidateContext): Promise<string | null> {
  const file = joinPath(folder, "platform-tools/source.properties", context.host.platform);
  const text = await factFile(file, context);
  return text === null ? null : parsePackageRevision(text);
}

/** The text of a small file, or `null` where there is none that can be read. */
async function factFile(
  path: string,
  { files, syncStat }: Pick<ValidateContext, "files" | "syncStat">,
): Promise<string | null> {
  if (syncStat(path).kind !== "file") return null; // a pipe would never end
  try {
    const bytes = await files.read(path, MAX_FACT_FILE);
    return bytes === null ? null : decodeUtf8(bytes);
  } catch {
    return null; // too large, or not ours to read: then it tells nothing
  }
}

async function ask(
  path: string,
  spec: ProbeSpec,
  context: ValidateContext & { readonly env: Readonly<Record<string, string>> },
): Promise<Result<string, Rejected>> {
  try {
    const answer = await context.cache.answer(
      path,
      (signal) => probe(path, spec, { ...context, signal }),
      context.signal,
    );
    return answer.ok ? answer : rejected(answer.error.message);
  } catch (thrown) {
    return rejected(`it cannot be looked at: ${messageOf(thrown)}`);
  }
}

function rejected(message: string): Result<never, Rejected> {
  return fail("rejected", message);
}

function besidePin(
  version: string,
  pin: BinaryDescriptor["pin"],
): string {
  if (pin === undefined || !pin.comparable || sameVersion(version, pin.version)) return "";
  return ` (the pinned version is ${pin.version})`;
}
