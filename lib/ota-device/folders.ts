// Where the device keeps things below its root. Names that begin with a dot cannot be bundle names.

/** The six fields of spec §2.9. */
export function statePath(root: string): string {
  return `${root}/state.json`;
}

/** What must survive a damaged `state.json` (DESIGN §5.9). */
export function guardPath(root: string): string {
  return `${root}/guard.json`;
}

/** What the last launches served, and which version was good before. */
export function launchPath(root: string): string {
  return `${root}/launch.json`;
}

/** A staged version. Nothing but the files of its manifest lies in it. */
export function versionFolder(root: string, name: string, version: string): string {
  return `${root}/${name}/${version}`;
}

/** The completeness mark of a staged version: its manifest. Without it the folder counts for nothing. */
export function markPath(root: string, name: string, version: string): string {
  return `${root}/.complete/${name}@${version}.json`;
}

/** Where versions are put together. Swept at launch. */
export function stagingFolder(root: string): string {
  return `${root}/.staging`;
}

/** Where what must go waits to be deleted. Swept at launch. */
export function trashFolder(root: string): string {
  return `${root}/.trash`;
}
