import { FileError } from "../core/file-error.ts";
import type { Files } from "../ports/files.ts";

// The places of the device's files below its root. Names that begin with a dot cannot be bundle
// names. vectors/DEVICE.md describes who writes and clears each, in which order, and what a power
// cut leaves.

/** Returns the path of the record that says which version boots (BOOT-15). */
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

/** Returns the folder of a staged version. It contains only the files of the manifest. */
export function versionFolder(root: string, name: string, version: string): string {
  return `${root}/${name}/${version}`;
}

/**
 * Returns the path of the completeness mark of a staged version: its manifest. Without the mark the
 * folder counts as missing.
 */
export function markPath(root: string, name: string, version: string): string {
  return `${marksFolder(root)}/${name}@${version}.json`;
}

/** Returns the folder of the completeness marks. */
export function marksFolder(root: string): string {
  return `${root}/.complete`;
}

/**
 * Returns the path of the note with which a launch compares the folders of a version of many files
 * (DEV-61).
 */
export function notePath(root: string, name: string, version: string): string {
  return `${notesFolder(root)}/${name}@${version}.json`;
}

/** Folder of these notes. */
export function notesFolder(root: string): string {
  return `${root}/.folders`;
}

/** Returns the folder in which versions are assembled. */
export function stagingFolder(root: string): string {
  return `${root}/.staging`;
}

/**
 * Returns the folder of contents during their download, by hash. It outlives the process (DEV-20).
 */
export function partialFolder(root: string): string {
  return `${root}/.partial`;
}

/** Returns the folder of names that wait to be deleted. */
export function trashFolder(root: string): string {
  return `${root}/.trash`;
}

/**
 * Makes the device's root, with the folders above it, durably: the name of a folder survives a
 * power cut once the one above is synced. Syncs also for an existing root, since the process that
 * made it may have been killed before. Throws refusals of the file system.
 */
export async function makeRoot(files: Files, root: string): Promise<void> {
  const parent = parentOf(root);
  const exists = await files.stat(root) !== null;
  if (!exists && parent !== null) await makeRoot(files, parent);
  await files.makeDirectory(root);
  if (parent === null) return;
  await files.sync(parent).catch((thrown) => {
    // An app may not be allowed to open the parent of its own folder; the system made that one.
    const foreign = exists && thrown instanceof FileError &&
      (thrown.code === "denied" || thrown.code === "read-only");
    if (!foreign) throw thrown;
  });
}

/** Returns the parent of a path, in either host's spelling; `null` at the top. */
function parentOf(path: string): string | null {
  const [, parent = "", name = ""] = /^(.*?)[/\\]+([^/\\]*)[/\\]*$/.exec(path) ?? [];
  if (name === "") return null;
  return parent === "" ? "/" : parent;
}
