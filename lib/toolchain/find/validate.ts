import { ok, type Result } from "../../core/result.ts";
import { isOnNoexec, NOEXEC, scrubbedEnvironment, withFolders } from "../../programs/mod.ts";
import type { BinaryDescriptor, DirectoryDescriptor, OwnRuntime } from "../tools/descriptor.ts";
import { refuseUnmarked, validateAndroidSdk } from "./android-sdk.ts";
import { type Candidate, hasMarker } from "./candidates.ts";
import { validateJavaHome } from "./java-home.ts";
import { expandPlaces } from "./places.ts";
import {
  ask,
  besidePin,
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
    ? `${context.folder.paths.name(candidate.path)} `
    : "";
  return ok({
    version: answer.value,
    reason: `taken: ${program}${answer.value}${besidePin(answer.value, descriptor.pin)}`,
  });
}

/** Looks into a folder: its marker, then what its kind asks for (FIND-5). */
export async function validateDirectory(
  folder: string,
  descriptor: DirectoryDescriptor,
  context: ValidateContext,
): Promise<Result<Validated, Rejected>> {
  const marked = await checkMarker(folder, descriptor, context);
  if (descriptor.validate === "android-sdk") {
    return marked.ok
      ? await validateAndroidSdk(folder, context)
      : await refuseUnmarked(folder, marked.error.message, context);
  }
  if (!marked.ok) return marked;
  return await validateJavaHome(folder, descriptor, context);
}

/** Whether a folder holds what makes it the tool, or what is there in its place. */
export async function checkMarker(
  folder: string,
  descriptor: DirectoryDescriptor,
  context: ValidateContext,
): Promise<Result<null, Rejected>> {
  return hasMarker(folder, descriptor, context)
    ? ok(null)
    : rejected(await whyNoMarker(folder, descriptor, context));
}

/** What is there in place of the marker: who mends it must not look for what is there. */
async function whyNoMarker(
  folder: string,
  { marker }: DirectoryDescriptor,
  context: ValidateContext,
): Promise<string> {
  const { folder: { paths }, syncStat } = context;
  const path = paths.join(folder, marker.path);
  const found = syncStat(path).kind;
  if (found === "missing") return await whyMissing(folder, marker.path, context);
  if (marker.kind === "directory") return `its ${marker.path} is not a folder`;
  if (found === "directory") return `its ${marker.path} is a folder, expected a program`;
  return await isOnNoexec(path, context)
    ? `it does not start: ${NOEXEC}`
    : `its ${marker.path} may not be executed`;
}

async function whyMissing(
  folder: string,
  marker: string,
  { files, folder: { paths }, syncStat }: ValidateContext,
): Promise<string> {
  try {
    const link = await files.stat(paths.join(folder, marker));
    if (link !== null) return `its ${marker} is a link to nothing`;
  } catch {
    return "this user may not look into it";
  }
  const holder = syncStat(folder).kind;
  if (holder === "missing") return "nothing is there";
  return holder === "file" ? "it is a file, expected a folder" : `it has no ${marker}`;
}

/** `env` with what the editor's own copy of a tool needs around it. */
export async function ownRuntimeEnv(
  env: Readonly<Record<string, string>>,
  runtime: OwnRuntime | undefined,
  context: Pick<ValidateContext, "files" | "folder" | "host" | "syncStat">,
): Promise<Record<string, string>> {
  if (runtime === undefined) return { ...env };
  const { folder, syncStat, host } = context;
  const folders = (await expandPlaces(runtime.path, folder.root, context))
    .filter((each) => syncStat(each).kind === "directory");
  const variables = Object.entries(runtime.env ?? {})
    .map(([name, place]) => [name, folder.at(place)]);
  return { ...withFolders(env, folders, host.platform), ...Object.fromEntries(variables) };
}
