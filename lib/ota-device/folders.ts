import { FileError } from "../core/file-error.ts";
import type { Files } from "../ports/files.ts";

// Where the device keeps things below its root. Names that begin with a dot cannot be bundle names.
// vectors/DEVICE.md says who writes and clears what, in which order, and what a power cut leaves.

/** Which version boots (BOOT-15). */
export function statePath(root: string): string {
  return `${root}/state.json`;
}

/** Path of the records that must survive a damaged `state.json` (DEV-5). */
export function guardPath(root: string): string {
  return `${root}/guard.json`;
}

/** Path of the record of the last launches and of the last good version. */
export function launchPath(root: string): string {
  return `${root}/launch.json`;
}

/** Held by the process that changes records. */
export function lockPath(root: string): string {
  return `${root}/.lock`;
}

/** A staged version. Nothing but the files of its manifest lies in it. */
export function versionFolder(root: string, name: string, version: string): string {
  return `${root}/${name}/${version}`;
}

/** The completeness mark of a staged version: its manifest. Without it the folder counts for nothing. */
export function markPath(root: string, name: string, version: string): string {
  return `${marksFolder(root)}/${name}@${version}.json`;
}

/** Where the completeness marks lie. */
export function marksFolder(root: string): string {
  return `${root}/.complete`;
}

/** Path of the note with which a launch compares the folders of a version of many files (DEV-61). */
export function notePath(root: string, name: string, version: string): string {
  return `${notesFolder(root)}/${name}@${version}.json`;
}

/** Folder of these notes. */
export function notesFolder(root: string): string {
  return `${root}/.folders`;
}

/** Where versions are put together. */
export function stagingFolder(root: string): string {
  return `${root}/.staging`;
}

/** Where contents lie while they are fetched, by hash. It outlives the process (DEV-20). */
export function partialFolder(root: string): string {
  return `${root}/.partial`;
}

/** Where what must go waits to be deleted. */
export function trashFolder(root: string): string {
  return `${root}/.trash`;
}

/**
 * Makes the device's root, with the folders above it, so that a power cut leaves it: the name of a
 * folder lasts once the one above is synced. That is done for a root that is there too, for whoever
 * made it may have been killed before. Throws what the file system refuses.
 */
export async function makeRoot(files: Files, root: string): Promise<void> {
  const parent = parentOf(root);
  const isThere = await files.stat(root) !== null;
  if (!isThere && parent !== null) await makeRoot(files, parent);
  await files.makeDirectory(root);
  if (parent === null) return;
  await files.sync(parent).catch((thrown) => {
    // An app may not open what its own folder lies in; the system made that one.
    const foreign = isThere && thrown instanceof FileError &&
      (thrown.code === "denied" || thrown.code === "read-only");
    if (!foreign) throw thrown;
  });
}

/** The folder that a path lies in, in either host's spelling; `null` at the top. */
function parentOf(path: string): string | null {
  const [, parent = "", name = ""] = /^(.*?)[/\\]+([^/\\]*)[/\\]*$/.exec(path) ?? [];
  if (name === "") return null;
  return parent === "" ? "/" : parent;
}
