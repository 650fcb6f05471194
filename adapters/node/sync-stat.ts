import { accessSync, constants, realpathSync, statSync } from "node:fs";
import type { SyncFacts, SyncStat } from "../../lib/ports/files.ts";

const MISSING: SyncFacts = { kind: "missing", executable: false, size: 0 };

/** {@linkcode SyncStat} over the real file system. */
export function createSyncStat(): SyncStat {
  return (path) => {
    try {
      const found = statSync(path);
      if (found.isDirectory()) return { kind: "directory", executable: false, size: 0 };
      if (!found.isFile()) return MISSING;
      return { kind: "file", executable: mayExecute(path), size: found.size };
    } catch {
      return MISSING; // not there, a loop of links, or a folder that may not be entered
    }
  };
}

function mayExecute(path: string): boolean {
  try {
    // Deno asks a link for its own bits, which are always set.
    accessSync(realpathSync(path), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
