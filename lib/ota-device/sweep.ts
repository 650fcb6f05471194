import { isVersion, versionNumber } from "../core/paths.ts";
import type { Files } from "../ports/files.ts";
import { markPath, marksFolder, stagingFolder, trashFolder, versionFolder } from "./folders.ts";
import { randomId } from "./random.ts";

// What is removed to make room. Nothing here decides what boots, so nothing here throws.

/** Where the device lives. */
export interface SweepDependencies {
  readonly files: Files;
  readonly root: string;
}

/** What an atomic write of a record or of a mark leaves beside it when it is cut off. */
const BESIDE = /^(state|guard|launch|.+@v[0-9]+)\.json\..+\.tmp$/;

/**
 * Removes what earlier stagings left behind. What cannot be removed is tried again next time.
 * Renamed away first: a staging of another process then fails as a whole, it is never thinned out.
 */
export async function sweep({ files, root }: SweepDependencies): Promise<void> {
  try {
    if (await files.stat(stagingFolder(root)) !== null) {
      await files.makeDirectory(trashFolder(root));
      await files.rename(stagingFolder(root), `${trashFolder(root)}/${randomId()}`);
    }
    await files.remove(trashFolder(root));
    for (const folder of [root, marksFolder(root)]) {
      for (const { name } of await files.list(folder) ?? []) {
        if (BESIDE.test(name)) await files.remove(`${folder}/${name}`);
      }
    }
  } catch {
    // only space is lost
  }
}

/** Versions that lie on the device, by bundle, and which of them a sweep for room removes. */
export interface RoomRequest {
  readonly staged: Readonly<Record<string, readonly string[]>>;
  /** Whether a version may boot, is served, or is what a staging builds on. */
  isKept(name: string, version: string): boolean;
  /** Whether there is room enough. */
  fits(): Promise<boolean>;
}

/**
 * Makes room for a staging: what waits to be deleted, then every version that is not kept, the oldest
 * first, until it fits (DEV-19). Best effort, as `sweep`: who asked looks at the room again.
 */
export async function makeRoom(
  { files, root }: SweepDependencies,
  { staged, isKept, fits }: RoomRequest,
): Promise<void> {
  try {
    await files.remove(trashFolder(root));
    for (const [name, versions] of Object.entries(staged)) {
      for (const version of versions) {
        if (isKept(name, version)) continue;
        if (await fits()) return;
        await files.remove(markPath(root, name, version)); // DEV-8
        await files.remove(versionFolder(root, name, version));
      }
    }
  } catch {
    // what went is room
  }
}

/**
 * Removes the versions of a bundle that are older than the active one and that nothing can boot any
 * more. Best effort, as `sweep`; a newer one may just be being staged.
 */
export async function removeSuperseded(
  { files, root }: SweepDependencies,
  name: string,
  { active, previous }: { active: string; previous: string | undefined },
): Promise<void> {
  try {
    for (const entry of await files.list(`${root}/${name}`) ?? []) {
      if (!isVersion(entry.name) || entry.name === previous) continue;
      if (versionNumber(entry.name) >= versionNumber(active)) continue;
      await files.remove(markPath(root, name, entry.name)); // DEV-8: unmarked it never boots
      await files.remove(versionFolder(root, name, entry.name));
    }
  } catch {
    // the space is freed at the next promotion
  }
}
