import type { Files } from "../../ports/files.ts";
import { attempt } from "../../core/attempt.ts";
import type { FileHost } from "./file-host.ts";
import type { FileState } from "../files/file-changes.ts";
import { resolvedIn } from "../files/project-files.ts";

/** Restores a file to a former state: complete, or absent. */
export async function putFile(
  files: Files,
  location: string,
  state: FileState | null,
): Promise<void> {
  if (state === null) return await files.remove(location);
  const body = await state.kept?.body();
  if (body === undefined) throw new TypeError(`Nothing was kept of ${location}`);
  await files.makeDirectory(location.slice(0, location.lastIndexOf("/")));
  await files.writeAtomic(location, body, { mode: state.mode });
}

/** Removes the folders that a step had created, the deepest first, if they are empty. */
export async function removeEmpty(core: FileHost, folders: readonly string[]): Promise<void> {
  const deepestFirst = folders.toSorted((a, b) => b.length - a.length);
  await forEachFolder(core, deepestFirst, async (location) => {
    const entries = await core.files.list(location);
    if (entries?.length === 0) await core.files.remove(location);
  });
}

/** Makes the folders again that a step had made. */
export async function makeFolders(core: FileHost, folders: readonly string[]): Promise<void> {
  await forEachFolder(core, folders, (location) => core.files.makeDirectory(location));
}

/**
 * Skips folders that now lead out of the project, and refusals of the disk: folders hold no data.
 */
async function forEachFolder(
  { files, root }: FileHost,
  folders: readonly string[],
  work: (location: string) => Promise<void>,
): Promise<void> {
  for (const folder of folders) {
    const location = await resolvedIn(files, root, folder);
    if (location.ok) await attempt(() => work(location.value));
  }
}
