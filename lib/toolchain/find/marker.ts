import { ok, type Result } from "../../core/result.ts";
import { isOnNoexec, NOEXEC, programAt } from "../../programs/mod.ts";
import type { DirectoryDescriptor } from "../tools/descriptor.ts";
import { type Rejected, rejected, type ValidateContext } from "./validation.ts";

/** Whether the folder holds what makes it the tool (FIND-5). */
export function hasMarker(
  folder: string,
  { marker }: DirectoryDescriptor,
  { folder: { paths }, syncStat }: Pick<ValidateContext, "folder" | "syncStat">,
): boolean {
  const path = paths.join(folder, marker.path);
  if (marker.kind === "directory") return syncStat(path).kind === "directory";
  return programAt(path, { platform: paths.platform, env: {}, stat: syncStat }) !== null;
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

/** Names what is in place of the marker, so that the fix is looked for in the right place. */
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
