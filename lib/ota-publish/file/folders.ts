import { FileError } from "../../core/file-error.ts";
import type { Files } from "../../ports/files.ts";

/** The error for a link inside the bucket: its writes would end up elsewhere (PUB-31). */
export class LinkedFolderError extends Error {
  override readonly name: string = "LinkedFolderError";
  /** Relative to the bucket. */
  readonly path: string;

  constructor(path: string) {
    super(`${path} is a link, expected a folder`);
    this.path = path;
  }
}

/** The folders of a bucket on disk. */
export interface Folders {
  /** Runs `work` in an existing folder whose name outlives a power cut. */
  within<T>(path: string, work: () => Promise<T>): Promise<T>;
  /**
   * Makes the names in a folder and the folder's own outlive a power cut, whichever writer made
   * them.
   */
  settle(path: string): Promise<void>;
  /**
   * Checks that no folder between the bucket and a path is a link, once for all concurrent calls.
   * @throws {LinkedFolderError}
   */
  check(path: string): Promise<void>;
}

/**
 * Makes folders on demand. Syncs each into its parent, once per bucket that writes there, because
 * another writer may have made it and stopped before the sync.
 *
 * @param folder The bucket's; above it only missing folders are made and synced.
 */
export function createFolders(files: Files, folder: string): Folders {
  const made = new Map<string, Promise<void>>();
  const checking = new Map<string, Promise<void>>();

  function make(path: string): Promise<void> {
    const begun = path === "" ? Promise.resolve() : made.get(path);
    if (begun !== undefined) return begun;
    const making = makeNew(path);
    made.set(path, making);
    making.catch(() => made.delete(path));
    return making;
  }

  async function makeNew(path: string): Promise<void> {
    const isInside = path.startsWith(`${folder}/`);
    if (!isInside && (await files.stat(path))?.kind === "directory") return;
    await make(parentOf(path));
    await files.makeDirectory(path);
    if (isInside && (await files.stat(path))?.kind === "symlink") {
      throw new LinkedFolderError(path.slice(folder.length + 1));
    }
    await files.sync(parentOf(path) || "/");
  }

  async function checkFrom(parent: string): Promise<void> {
    for (let at = parent; at.length > folder.length; at = parentOf(at)) {
      if ((await files.stat(at))?.kind !== "symlink") continue;
      throw new LinkedFolderError(at.slice(folder.length + 1));
    }
  }

  return {
    async within(path, work) {
      await make(path);
      try {
        return await work();
      } catch (thrown) {
        if (!(thrown instanceof FileError) || thrown.code !== "missing") throw thrown;
        await files.makeDirectory(path); // another writer may have removed it
        return await work();
      }
    },
    check(path) {
      const parent = parentOf(path);
      const begun = checking.get(parent);
      if (begun !== undefined) return begun;
      const check = checkFrom(parent).finally(() => void checking.delete(parent));
      checking.set(parent, check);
      return check;
    },
    async settle(path) {
      await make(path);
      await files.sync(path);
    },
  };
}

/** The folder of a path. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
