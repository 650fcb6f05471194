import { FileError } from "../../core/file-error.ts";
import type { Files } from "../../ports/files.ts";

/** A folder of a bucket that is a link: what is written there would be somewhere else (PUB-31). */
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
  /** Runs `work` in a folder that is there, and whose name outlives a power cut. */
  within<T>(path: string, work: () => Promise<T>): Promise<T>;
  /** Makes the names in a folder outlive a power cut, whoever gave them; and the folder's own. */
  settle(path: string): Promise<void>;
  /**
   * Checks that no folder between the bucket and a path is a link, once for all that are asked about at
   * the same time. @throws {LinkedFolderError}
   */
  check(path: string): Promise<void>;
}

/**
 * Makes folders as they are needed. Each is synced into its parent, once by every bucket that
 * writes there, for another writer may have made it and not come to that.
 *
 * @param folder Of the bucket; above it only what is missing is made and synced.
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
        await files.makeDirectory(path); // somebody may have removed it
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
