import { ok, type Result } from "../../core/result.ts";
import { scrubbedEnvironment, withFolders } from "../../programs/mod.ts";
import type { BinaryDescriptor, DirectoryDescriptor } from "../tools/descriptor.ts";
import { refuseUnmarked, validateAndroidSdk } from "./android-sdk.ts";
import type { Candidate } from "./candidates.ts";
import { validateJavaHome, validateJavaShim } from "./java-home.ts";
import { checkMarker } from "./marker.ts";
import { ownRuntimeEnv } from "./tool-environment.ts";
import {
  askVersion,
  besidePin,
  type Rejected,
  rejected,
  type ValidateContext,
  type Validated,
} from "./validation.ts";
import { whyNoPlatform } from "./xcode-platform.ts";

/** Asks a program for its version. Our own copy runs on our own runtime if that is installed. */
export async function validateBinary(
  candidate: Candidate,
  descriptor: BinaryDescriptor,
  context: ValidateContext,
): Promise<Result<Validated, Rejected>> {
  const { host: { platform }, folder: { paths } } = context;
  const env = scrubbedEnvironment(context.host.environment());
  // As in a build, a program outside PATH has its folder in front: next to npm is the Node that npm needs.
  const around = candidate.source === "path"
    ? env
    : withFolders(env, [paths.parent(candidate.path)], platform);
  const answer = await askVersion({
    path: candidate.path,
    spec: descriptor.probe,
    env: candidate.source === "own"
      ? await ownRuntimeEnv(env, descriptor.ownRuntime, context)
      : around,
  }, context);
  if (!answer.ok) return answer;
  const { version } = answer.value;
  const unfit = descriptor.validate === "xcode"
    ? await whyNoPlatform(version, around, context)
    : null;
  if (unfit !== null) return rejected(unfit);
  const program = descriptor.names.length > 1
    ? `${context.folder.paths.name(candidate.path)} `
    : "";
  return ok({
    version,
    reason: `taken: ${program}${version}${besidePin(version, descriptor.pin)}`,
  });
}

/** Looks into a folder: its marker, then what its kind asks for (FIND-5). */
export async function validateDirectory(
  { path: folder, isProgram }: Pick<Candidate, "path" | "isProgram">,
  descriptor: DirectoryDescriptor,
  context: ValidateContext,
): Promise<Result<Validated, Rejected>> {
  if (isProgram === true) return await validateJavaShim(folder, descriptor, context);
  const marked = await checkMarker(folder, descriptor, context);
  if (descriptor.validate === "android-sdk") {
    return marked.ok
      ? await validateAndroidSdk(folder, context)
      : await refuseUnmarked(folder, marked.error.message, context);
  }
  if (!marked.ok) return marked;
  return await validateJavaHome(folder, descriptor, context);
}
