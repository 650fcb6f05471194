import type { BundleVersion } from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";
import {
  lockPath,
  markPath,
  marksFolder,
  notePath,
  notesFolder,
  stagingFolder,
  trashFolder,
  versionFolder,
} from "./folders.ts";
import { stagingId } from "./leftovers.ts";
import { removeOldPartials, removeOtherPartials, unlessUnreadable } from "./partial.ts";
import { isOthers, type ProcessOptions } from "./processes.ts";
import { randomId } from "./random.ts";

// Removes what nothing needs any more. Nothing here decides what boots, so nothing here throws: a
// failed removal is tried again at the next sweep.

/** The dependencies of a sweep. */
export interface SweepDependencies extends ProcessOptions {
  readonly files: Files;
  readonly root: string;
}

/** Leftovers of an interrupted atomic write of a record, a mark or a note. */
const BESIDE = /^(\.lock\..+|(state|guard|launch|.+@v[0-9]+)\.json\..+\.tmp)$/;

/**
 * Moves leftovers of earlier stagings and dead versions aside. Quick, because it deletes only marks
 * and half-written records. Call it while no other process changes records: another process's
 * unfinished version stays while the process lives (DEV-25), and so do leftovers since `since`, for
 * the next staging (DEV-38). `since`: milliseconds since the epoch.
 */
export async function setAside(
  dependencies: SweepDependencies,
  { dead, since }: { readonly dead: readonly BundleVersion[]; readonly since: number },
): Promise<void> {
  await tried(() => setHalvesAside(dependencies));
  await tried(async () =>
    setLeftoversAside(dependencies, await listLeftovers(dependencies, since))
  );
  await tried(() => setVersionsAside(dependencies, dead));
}

/** Deletes the moved files, and contents that were last written before `since`. */
export async function emptyTrash(
  dependencies: SweepDependencies,
  since: number,
): Promise<void> {
  const { files, root } = dependencies;
  await tried(async () => {
    if (await files.stat(trashFolder(root)) !== null) await removeTrash(dependencies);
  });
  await tried(() => removeOldPartials(dependencies, since));
}

/** A request to make room. */
export interface RoomRequest {
  /** Versions that may go, in this order. */
  readonly dead: readonly BundleVersion[];
  /** Files of `.partial` that a staging continues: all others may be removed. */
  readonly kept: ReadonlySet<string>;
  /** The id of this process's own staging. */
  readonly stagingId: string | null;
  /** Whether there is room enough. */
  fits(): Promise<boolean>;
  /** Runs changes of names that others read, while no other process makes any. */
  alone(work: () => Promise<void>): Promise<void>;
}

/**
 * Makes room: deletes first the trash, then leftovers of killed stagings and unneeded partial
 * contents, then one version after another, until it fits (DEV-19). The caller checks the room
 * again.
 */
export async function makeRoom(
  dependencies: SweepDependencies,
  { dead, kept, stagingId, fits, alone }: RoomRequest,
): Promise<void> {
  await tried(async () => {
    await removeTrash(dependencies);
    if (await fits()) return;
    const left = await listLeftovers(dependencies, Infinity, stagingId);
    if (left.length > 0) {
      await alone(() => setLeftoversAside(dependencies, left));
      await removeTrash(dependencies);
    }
    await removeOtherPartials(dependencies, kept);
    for (const version of dead) {
      if (await fits()) return;
      await alone(() => setVersionsAside(dependencies, [version]));
      await removeTrash(dependencies);
    }
  });
}

/** Ignores a failure, which only loses space. */
async function tried(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch {
    // tried again at the next sweep
  }
}

async function setHalvesAside({ files, root }: SweepDependencies): Promise<void> {
  for (const folder of [root, marksFolder(root), notesFolder(root)]) {
    for (const { name } of await files.list(folder) ?? []) {
      if (BESIDE.test(name)) await unlessUnreadable(() => files.remove(`${folder}/${name}`));
    }
  }
}

/** Lists `.staging`, except folders that are being staged, or were `since`. */
async function listLeftovers(
  dependencies: SweepDependencies,
  since: number,
  own: string | null = null,
): Promise<readonly string[]> {
  const { files, root } = dependencies;
  const left: string[] = [];
  for (const { name } of await files.list(stagingFolder(root)) ?? []) {
    const id = stagingId(name);
    const lives = id === own && id !== "" ||
      isOthers(id, dependencies) && !await isForgotten(dependencies, name);
    const { mtimeMs = 0 } = id === ""
      ? {}
      : await unlessUnreadable(() => files.stat(`${stagingFolder(root)}/${name}`)) ?? {};
    if (!lives && (id === "" || mtimeMs < since)) left.push(name);
  }
  return left;
}

async function setLeftoversAside(
  { files, root }: SweepDependencies,
  left: readonly string[],
): Promise<void> {
  if (left.length > 0) await files.makeDirectory(trashFolder(root));
  for (const name of left) {
    const [from, to] = [`${stagingFolder(root)}/${name}`, `${trashFolder(root)}/${name}`];
    await unlessUnreadable(() => files.rename(from, to));
  }
}

/** The longest that a process puts a version together: another one has its id since. */
const FORGOTTEN_MS = 24 * 60 * 60 * 1000;

/** Compares with the disk's own clock alone: the lock was just written. */
async function isForgotten({ files, root }: SweepDependencies, name: string): Promise<boolean> {
  const now = await files.stat(lockPath(root));
  const then = await unlessUnreadable(() => files.stat(`${stagingFolder(root)}/${name}`));
  return now !== null && then !== null && now.mtimeMs - then.mtimeMs > FORGOTTEN_MS;
}

/**
 * DEV-8: marks first, and for good: a version that is half deleted must not be there for a power cut.
 * A version whose mark the disk cannot remove stays.
 */
async function setVersionsAside(
  { files, root }: SweepDependencies,
  versions: readonly BundleVersion[],
): Promise<void> {
  if (versions.length === 0) return;
  const unmarked: BundleVersion[] = [];
  for (const { name, version } of versions) {
    const removed = await unlessUnreadable(() => files.remove(markPath(root, name, version)));
    if (removed !== null) unmarked.push({ name, version });
  }
  if (await files.stat(marksFolder(root)) !== null) await files.sync(marksFolder(root));
  await files.makeDirectory(trashFolder(root));
  for (const { name, version } of unmarked) {
    const note = notePath(root, name, version);
    const folder = versionFolder(root, name, version);
    const aside = `${trashFolder(root)}/${name}@${version}.${randomId()}`;
    await unlessUnreadable(async () => {
      if (await files.stat(note) !== null) await files.remove(note);
      if (await files.stat(folder) !== null) await files.rename(folder, aside);
    });
  }
}

/** Deletes the trash. If the disk cannot remove one entry, the others are deleted nevertheless. */
async function removeTrash({ files, root }: SweepDependencies): Promise<void> {
  const trash = trashFolder(root);
  if (await unlessUnreadable(() => files.remove(trash)) !== null) return;
  for (const { name } of await unlessUnreadable(() => files.list(trash)) ?? []) {
    await unlessUnreadable(() => files.remove(`${trash}/${name}`));
  }
}
