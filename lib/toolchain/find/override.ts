import type { Result } from "../../core/result.ts";
import { isNetworkPath } from "../../programs/mod.ts";
import type { DirectoryDescriptor } from "../tools/descriptor.ts";
import type { Detection, NamedFolder } from "../tools/types.ts";
import { validateNamedJava } from "./java-home.ts";
import { checkMarker, hasMarker } from "./marker.ts";
import { validateDirectory } from "./validate.ts";
import { type Rejected, rejected, type ValidateContext, type Validated } from "./validation.ts";

/**
 * Accepts the folder that a project names itself (`user.sdk`, or another setting) if it has the tool's
 * marker. The required version is not enforced, since the user has chosen the folder. A folder without the
 * marker is an error, never a reason to take another one.
 *
 * A project may come from anywhere, so detection runs nothing in that folder: the version is read from its
 * files, and absent if they have none. Once a build was started, the JDK has to run.
 *
 * @param named.runs Whether a build was started.
 */
export async function detectOverride(
  named: { readonly folder: string | NamedFolder; readonly runs: boolean },
  descriptor: DirectoryDescriptor,
  context: ValidateContext,
): Promise<Detection> {
  const { id, kind } = descriptor;
  const { folder, runs } = named;
  const { path, by } = typeof folder === "string"
    ? { path: folder, by: `user.sdk.${id} in project.config.json` }
    : folder;
  const checked = await validateOverride({ path, runs }, descriptor, context);
  const base = { id, kind } as const;
  const tried = (reason: string) => [{ path, source: "override", reason }] as const;
  const found = { ...base, present: true, source: "override", path, lookedInto: [path] } as const;
  if (checked.ok) {
    const { version, reason, home = path } = checked.value;
    return {
      ...found,
      path: home,
      tried: tried(reason),
      ...(version !== undefined && { version }),
    };
  }
  const { message, lacks, remedy } = checked.error;
  const sdkManager = remedy?.kind === "sdkmanager" ? remedy.program : undefined;
  const problem = {
    ...(lacks && { lacks }),
    remedy: { kind: "override", by, ...(sdkManager !== undefined && { sdkManager }) },
  } as const;
  // With its marker it is the tool that the project names; only a build with it cannot begin.
  const isTool = lacks !== undefined && hasMarker(path, descriptor, context);
  return isTool ? { ...found, tried: tried(message), ...problem } : {
    ...base,
    tried: tried(message),
    present: false,
    reason: pointingAt(by, path, message),
    systemRefused: false,
    ...problem,
  };
}

/** Describes the fault of a folder that a setting names, as a part of a sentence. */
export function pointingAt(by: string, path: string, message: string): string {
  return `${by} points at ${path}: ${message}`;
}

async function validateOverride(
  { path, runs }: { readonly path: string; readonly runs: boolean },
  descriptor: DirectoryDescriptor,
  context: ValidateContext,
): Promise<Result<Validated, Rejected>> {
  // Before anything is looked at: Windows logs in at the server of such a path.
  if (isNetworkPath(path)) return rejected("it is a path of a network");
  if (!context.folder.paths.isAbsolute(path)) {
    return rejected("it is not an absolute path");
  }
  if (descriptor.validate !== "java") return await validateDirectory({ path }, descriptor, context);
  const marked = await checkMarker(path, descriptor, context);
  return marked.ok ? await validateNamedJava(path, { runs }, context) : marked;
}
